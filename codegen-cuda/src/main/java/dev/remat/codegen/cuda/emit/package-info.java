/** Writing CUDA text: kernels with their launches, and elementwise instructions as code. */
package dev.remat.codegen.cuda.emit;
