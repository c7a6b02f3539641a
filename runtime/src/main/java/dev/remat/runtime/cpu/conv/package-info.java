/** Convolutions and their gradients: by oneDNN, or as matrix products over columns. */
package dev.remat.runtime.cpu.conv;
