/**
 * Laying out buffers of known lifetimes in as few bytes as possible; knows nothing of graphs. Also the files that
 * {@code remat pack} reads and writes.
 */
package dev.remat.compiler.layout;
