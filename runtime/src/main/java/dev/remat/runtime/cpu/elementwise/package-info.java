/** Programs of elementwise instructions, run chunk by chunk. */
package dev.remat.runtime.cpu.elementwise;
