/** Losses whose widest tensors are computed a chunk of rows at a time. */
package dev.remat.compiler.chunk;
