/** CUDA C++ to cubins with NVRTC, which needs neither a GPU nor a driver nor an installed toolkit. */
package dev.remat.codegen.cuda.nvrtc;
