/** Deterministic kernels on the CPU. */
package dev.remat.runtime.cpu;
