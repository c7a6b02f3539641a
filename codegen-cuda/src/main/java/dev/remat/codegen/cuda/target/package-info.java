/** NVIDIA GPUs by their generations, and what kernels for them may use. */
package dev.remat.codegen.cuda.target;
