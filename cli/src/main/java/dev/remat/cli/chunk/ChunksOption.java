package dev.remat.cli.chunk;

import dev.remat.compiler.chunk.Chunks;
import picocli.CommandLine.Option;

/** {@code --chunks} of a command that plans. */
public final class ChunksOption {
    @Option(
            names = "--chunks",
            paramLabel = "N|auto|off",
            converter = ChunksConverter.class,
            description = "Compute losses in N chunks of rows, with the same bits: their logits are never whole. auto"
                    + " does what the model says, and within a budget what costs least; off leaves all whole."
                    + " Default: auto.")
    private Chunks chunks = Chunks.AUTO;

    public Chunks chunks() {
        return chunks;
    }

    /** Whether a number of chunks is asked for. */
    public boolean demandsNumber() {
        return chunks.kind() == Chunks.Kind.DEMANDED;
    }
}
