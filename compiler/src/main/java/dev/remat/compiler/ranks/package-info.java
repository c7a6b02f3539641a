/** What a step exchanges where ranks compute its micro-batches. */
package dev.remat.compiler.ranks;
