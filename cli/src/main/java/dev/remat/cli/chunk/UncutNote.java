package dev.remat.cli.chunk;

import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.ir.graph.ChunkBlock;
import java.util.Optional;

/** Says that losses stay whole though chunks of them are asked for. */
public final class UncutNote {
    private UncutNote() {}

    /** Empty if a loss is cut, or none is to be. */
    public static Optional<String> of(PreparedStep step) {
        int count = asked(step);
        return count > 1 && step.chunked().isEmpty()
                ? Optional.of(count + " chunks are asked for, but no loss has more rows than a chunk has at least, as"
                        + " kernels take them: all stay whole (docs/chunks.md)")
                : Optional.empty();
    }

    private static int asked(PreparedStep step) {
        Chunks chunks = step.options().chunks();
        return chunks.isGiven()
                ? chunks.kind() == Chunks.Kind.DEMANDED ? chunks.count() : 1
                : step.model().forward().nodes().stream()
                        .flatMap(node -> node.origin().chunks().stream())
                        .mapToInt(ChunkBlock::count)
                        .max()
                        .orElse(1);
    }
}
