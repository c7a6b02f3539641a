/** Pooling, and tiles of image planes. */
package dev.remat.codegen.cuda.family.image;
