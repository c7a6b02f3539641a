/** Locations in model files, what is wrong there, and how messages word it. */
package dev.remat.ir.diagnostic;
