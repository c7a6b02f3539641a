package dev.remat.cli.ranks;

import dev.remat.cli.option.CountingNumber;
import dev.remat.compiler.ranks.Link;
import dev.remat.compiler.ranks.LinkCosts;
import dev.remat.ir.target.CostModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    /** What planning charges where ranks exchange what they share over a link, if that is known. */
    public CostModel priced(CostModel costs, Optional<Link> link) {
        return sharding().sharesParameters() ? LinkCosts.over(costs, link) : costs;
    }

    /** Whether one of them is more than one. */
    public boolean isAsked() {
        return numbers().getLast() > 1;
    }

    /** Ascending, each once. */
    @Override
    public List<Integer> numbers() {
        return ranks.isEmpty() ? List.of(1) : ranks.stream().distinct().sorted().toList();
    }
}
