/** Families of kernels: which launches carry out an operation, and what scratch memory they need. */
package dev.remat.codegen.cuda.family;
