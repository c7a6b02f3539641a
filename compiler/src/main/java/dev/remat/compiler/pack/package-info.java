/** Buffers given by their lifetimes in a file, to be laid out: what {@code remat pack} reads and writes. */
package dev.remat.compiler.pack;
