package dev.remat.cli.ranks;

import dev.remat.cli.option.CountingNumber;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Numbers of ranks to try. */
public final class RankLists extends ShareMicroBatches {
    @Option(
            names = "--ranks",
            paramLabel = "W",
            split = ",",
            converter = CountingNumber.OfInt.class,
            description = "Numbers of ranks that compute the micro-batches of a step side by side, such as 1,2,4."
                    + " Default: 1.")
    private List<Integer> ranks = new ArrayList<>();

    /** Whether one of them is more than one. */
    public boolean isAsked() {
        return numbers().getLast() > 1;
    }

    /** Whether numbers are said. */
    public boolean isGiven() {
        return !ranks.isEmpty();
    }

    /** Ascending, each once. */
    @Override
    public List<Integer> numbers() {
        return ranks.isEmpty() ? List.of(1) : ranks.stream().distinct().sorted().toList();
    }
}
