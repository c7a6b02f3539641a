/** What a step of micro-batches consists of. */
package dev.remat.compiler.batch;
