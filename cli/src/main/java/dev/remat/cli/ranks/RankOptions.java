package dev.remat.cli.ranks;

import dev.remat.cli.option.CountingNumber;
import dev.remat.runtime.process.ProcessGroup;
import java.util.List;
import picocli.CommandLine.Option;

/** How many ranks compute the micro-batches of a step. */
public final class RankOptions extends ShareMicroBatches {
    @Option(
            names = "--ranks",
            paramLabel = "W",
            converter = CountingNumber.OfInt.class,
            description = "Let W ranks compute the micro-batches of a step side by side, each in an arena of its own,"
                    + " to the same bits; W divides their number. Where the batch is not cut, it is cut into W."
                    + " Default: ${DEFAULT-VALUE}.")
    private int ranks = 1;

    public int ranks() {
        return ranks;
    }

    /** Takes as many as have come together. */
    public void are(ProcessGroup together) {
        ranks = together.grid().ranks();
    }

    @Override
    List<Integer> numbers() {
        return List.of(ranks);
    }
}
