/** Matrix products, in tiles that follow from the shape alone. */
package dev.remat.runtime.cpu.gemm;
