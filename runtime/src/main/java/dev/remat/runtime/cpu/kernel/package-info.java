/** What a kernel is before its addresses are known, and what it is given of a step. */
package dev.remat.runtime.cpu.kernel;
