/** Attention without a matrix of scores in memory, and its gradient. */
package dev.remat.codegen.cuda.family.attention;
