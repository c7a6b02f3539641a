/** Normalization: statistics, and gradients by input, scale and shift. */
package dev.remat.codegen.cuda.family.norm;
