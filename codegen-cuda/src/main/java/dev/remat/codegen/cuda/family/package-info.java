/**
 * Which launches carry out an operation, and what scratch memory they need; each package below holds a family of
 * kernels.
 */
package dev.remat.codegen.cuda.family;
