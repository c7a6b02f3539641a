/** Reductions over some axes, with the elementwise work before them. */
package dev.remat.runtime.cpu.reduce;
