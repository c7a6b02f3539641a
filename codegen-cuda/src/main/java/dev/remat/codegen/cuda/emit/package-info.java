/**
 * Writing CUDA text: programs of kernels with their launches, and elementwise instructions as code. The headers in
 * CUDA lie beside it.
 */
package dev.remat.codegen.cuda.emit;
