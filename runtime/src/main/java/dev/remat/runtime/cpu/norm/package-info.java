/** Normalization: statistics and gradients. */
package dev.remat.runtime.cpu.norm;
