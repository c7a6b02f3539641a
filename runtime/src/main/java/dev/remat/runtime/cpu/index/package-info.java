/** Reading and adding where indices say: embedding and gather. */
package dev.remat.runtime.cpu.index;
