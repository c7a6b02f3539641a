/** Attention tile by tile, and its gradient. */
package dev.remat.runtime.cpu.attention;
