/** Matrix products: tiles, how they are chosen, where operands and results lie. */
package dev.remat.codegen.cuda.family.gemm;
