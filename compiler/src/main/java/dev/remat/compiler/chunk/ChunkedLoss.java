package dev.remat.compiler.chunk;

import dev.remat.ir.diagnostic.Location;

/**
 * A loss whose widest tensors exist a chunk at a time.
 *
 * @param name of its logits
 * @param location of the loss
 * @param rows of all chunks
 * @param count of the chunks
 * @param bytes of the logits of the largest chunk
 * @param wholeBytes of all logits
 */
public record ChunkedLoss(String name, Location location, long rows, int count, long bytes, long wholeBytes) {}
