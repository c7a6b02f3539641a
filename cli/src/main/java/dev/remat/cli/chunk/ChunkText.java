package dev.remat.cli.chunk;

import dev.remat.cli.console.ByteSize;
import dev.remat.compiler.chunk.ChunkedLoss;

/** Says how a loss is computed in chunks. */
public final class ChunkText {
    private ChunkText() {}

    /** Behind the bytes of a chunk: {@code at a time of 1.53 GiB, in 8 chunks of rows: head}. */
    public static String of(ChunkedLoss loss) {
        return "at a time of " + ByteSize.format(loss.wholeBytes()) + ", in " + loss.count() + " chunks of rows: "
                + loss.name();
    }
}
