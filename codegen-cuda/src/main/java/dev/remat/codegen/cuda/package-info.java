/** From execution plans to CUDA C++, and what the compiler must know of NVIDIA GPUs. */
package dev.remat.codegen.cuda;
