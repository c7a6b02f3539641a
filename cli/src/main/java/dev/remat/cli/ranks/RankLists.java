package dev.remat.cli.ranks;

import dev.remat.cli.option.CountingNumber;
import dev.remat.compiler.ranks.Sharding;
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

    /**
     * What ranks hold in shares, of a command that does not choose.
     *
     * @throws picocli.CommandLine.ParameterException if that is to be chosen
     */
    public Sharding named() {
        require(
                sharding() != Sharding.AUTO,
                "--shard auto chooses for one number of ranks; here it takes none, optimizer or parameters");
        return sharding();
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
