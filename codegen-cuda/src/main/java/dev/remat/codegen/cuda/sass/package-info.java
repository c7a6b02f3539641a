/** Machine code of kernels, read back out of cubins: instructions, loops, and the longest way through them. */
package dev.remat.codegen.cuda.sass;
