/** What the compiler must know of NVIDIA GPUs. */
package dev.remat.codegen.cuda;
