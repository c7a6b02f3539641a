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
            description = "Numbers of ranks to compute the micro-batches of a step by, such as 1,2,4: whether they"
                    + " leave the same bits. Default: 1.")
    private List<Integer> ranks = new ArrayList<>();

    /** Ascending, each once. */
    @Override
    public List<Integer> numbers() {
        return ranks.isEmpty() ? List.of(1) : ranks.stream().distinct().sorted().toList();
    }
}
