/** The training step behind a C ABI: sources beside the artifact's kernels, for programs without Java. */
package dev.remat.codegen.cuda.cabi;
