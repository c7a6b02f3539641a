package dev.remat.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.process.SlowRanks.Work;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SlowRanksTest {
    private static final String SLOW = "rank 2 computes for 41.0 ms a step, 31 % longer than others, which wait for it";

    private static SortedMap<Integer, Work> work(long step, long... microsPerStep) {
        SortedMap<Integer, Work> all = new TreeMap<>();
        for (int process = 0; process < microsPerStep.length; process++) {
            all.put(process, new Work(step, step * microsPerStep[process]));
        }
        return all;
    }

    @Test
    void namesWhoTakesLongerOnce() {
        SortedMap<Integer, Work> first = work(1, 31_300, 31_500, 41_000);
        SlowRanks ranks = new SlowRanks(new ProcessGrid(1, 3));
        ranks.hear(first);
        assertThat(ranks.hear(work(20, 31_300, 31_500, 41_000))).as("19 steps").isEmpty();
        assertThat(ranks.hear(work(21, 31_300, 31_500, 41_000))).contains(SLOW);
        assertThat(ranks.hear(work(60, 31_300, 31_500, 41_000))).as("again").isEmpty();
        assertThat(ranks.hear(work(90, 99_000, 31_500, 41_000)))
                .as("another")
                .hasValueSatisfying(text -> assertThat(text).startsWith("rank 0 computes"));
    }

    @Test
    void countsFromWhereAllHaveDoneAStep() {
        SlowRanks ranks = new SlowRanks(new ProcessGrid(1, 2));
        ranks.hear(work(0));
        ranks.hear(work(0));
        ranks.hear(work(0, 0, 0));
        SortedMap<Integer, Work> begun = new TreeMap<>();
        begun.put(0, new Work(1, 10_000));
        begun.put(1, new Work(1, 5_000_000));
        ranks.hear(begun);
        SortedMap<Integer, Work> later = new TreeMap<>();
        later.put(0, new Work(21, 210_000));
        later.put(1, new Work(21, 5_210_000));
        assertThat(ranks.hear(later)).as("only its first step was long").isEmpty();
    }

    @Test
    void isSilentWhereNobodyIsSlow() {
        assertThat(after(new ProcessGrid(1, 3), 31_300, 31_500, 38_000)).isEmpty();
        assertThat(after(new ProcessGrid(1, 3), 500, 500, 900))
                .as("short steps")
                .isEmpty();
        assertThat(after(new ProcessGrid(1, 1), 31_300)).as("alone").isEmpty();
    }

    @Test
    void comparesRanksOfOneStage() {
        ProcessGrid grid = new ProcessGrid(2, 2);
        assertThat(after(grid, 30_000, 31_000, 60_000, 61_000)).isEmpty();
        assertThat(after(grid, 30_000, 31_000, 60_000, 90_000))
                .contains("stage 1 of rank 1 computes for 90.0 ms a step, 50 % longer than stage 1 of rank 0, which"
                        + " waits for it");
        assertThat(after(new ProcessGrid(2, 1), 30_000, 90_000))
                .as("stages of one rank")
                .isEmpty();
    }

    private static Optional<String> after(ProcessGrid grid, long... microsPerStep) {
        SlowRanks ranks = new SlowRanks(grid);
        ranks.hear(work(1, microsPerStep));
        return ranks.hear(work(30, microsPerStep));
    }
}
