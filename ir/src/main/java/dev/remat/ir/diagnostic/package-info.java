/** Places in model files, and what is wrong there. */
package dev.remat.ir.diagnostic;
