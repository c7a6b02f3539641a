package dev.remat.cli.chunk;

import dev.remat.compiler.chunk.Chunks;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import picocli.CommandLine.Option;

/** Numbers of chunks to try. */
public final class ChunkLists {
    @Option(
            names = "--chunks",
            paramLabel = "N|auto|off",
            split = ",",
            converter = ChunksConverter.class,
            description = "Numbers of chunks of rows that losses are computed in, such as 2,8,auto, each held against"
                    + " whole losses; auto takes what costs least within each budget. Default: what the model says.")
    private List<Chunks> chunks = new ArrayList<>();

    public boolean isAsked() {
        return !chunks.isEmpty();
    }

    /** How losses are cut in each step that is the same within all budgets; where any is asked for, none is first. */
    public List<Chunks> fixed() {
        if (chunks.isEmpty()) {
            return List.of(Chunks.AS_WRITTEN);
        }
        SequencedSet<Chunks> all = new LinkedHashSet<>(List.of(Chunks.OFF));
        chunks.stream().filter(each -> !each.equals(Chunks.AUTO)).forEach(all::add);
        return List.copyOf(all);
    }

    /** Whether each budget has a number of its own, too. */
    public boolean choosesByBudget() {
        return chunks.contains(Chunks.AUTO);
    }
}
