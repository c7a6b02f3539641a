/** Convolutions and their gradients: as matrix products, and depthwise without. */
package dev.remat.codegen.cuda.family.conv;
