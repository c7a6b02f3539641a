/** Cuts a model's batch into micro-batches, with the same numbers. */
package dev.remat.compiler.split;
