/** Losses in chunks: how they are asked for, and what is said of them. */
package dev.remat.cli.chunk;
