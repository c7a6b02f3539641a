/**
 * What kernels of every kind build on: threads, scratch memory, elements in memory, sums, functions, products.
 */
package dev.remat.runtime.cpu.support;
