/** Reductions over some axes of a tensor, in one launch or two. */
package dev.remat.codegen.cuda.family.reduce;
