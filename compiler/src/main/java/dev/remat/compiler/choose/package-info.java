/** Chooses into how many micro-batches a batch is cut, together with what is recomputed. */
package dev.remat.compiler.choose;
