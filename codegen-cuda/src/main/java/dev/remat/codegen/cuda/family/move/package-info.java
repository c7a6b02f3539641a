/** Moving elements without computing: copies, transposes, padding, concatenation. */
package dev.remat.codegen.cuda.family.move;
