/** From execution plans to CUDA C++, and to artifacts. */
package dev.remat.codegen.cuda;
