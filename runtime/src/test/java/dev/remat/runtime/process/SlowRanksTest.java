package dev.remat.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SlowRanksTest {
    private static final String SLOW = "rank 2 computes for 41.0 ms a step, 31 % longer than others, which wait for it";

    /** What is said in so many steps that take so many microseconds. */
    private static Optional<String> after(SlowRanks ranks, int steps, long... micros) {
        long[] nanos = Arrays.stream(micros).map(each -> 1000 * each).toArray();
        Optional<String> said = Optional.empty();
        for (int step = 0; step < steps; step++) {
            Optional<String> more = ranks.hear(nanos);
            said = said.or(() -> more);
        }
        return said;
    }

    /** The same behind the first steps, which are not compared. */
    private static Optional<String> after(ProcessGrid grid, long... micros) {
        SlowRanks ranks = new SlowRanks(grid);
        after(ranks, 20, micros);
        return after(ranks, 20, micros);
    }

    @Test
    void namesWhoTakesLongerOnce() {
        SlowRanks ranks = new SlowRanks(new ProcessGrid(1, 3));
        assertThat(after(ranks, 39, 31_300, 31_500, 41_000)).as("39 steps").isEmpty();
        assertThat(after(ranks, 1, 31_300, 31_500, 41_000)).contains(SLOW);
        assertThat(after(ranks, 40, 31_300, 31_500, 41_000)).as("again").isEmpty();
        assertThat(after(ranks, 20, 99_000, 31_500, 41_000))
                .as("another")
                .hasValueSatisfying(text -> assertThat(text).startsWith("rank 0 computes"));
    }

    @Test
    void firstStepsDoNotCount() {
        SlowRanks ranks = new SlowRanks(new ProcessGrid(1, 2));
        assertThat(after(ranks, 1, 10_000, 5_000_000)).isEmpty();
        assertThat(after(ranks, 59, 10_000, 10_000)).isEmpty();
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

    @Test
    void tellsTheSlowestOfEachStep() {
        SlowRanks ranks = new SlowRanks(new ProcessGrid(1, 4));
        assertThat(ranks.slowest(new long[] {30, 10, 20, 20})).contains(new RankTimes.Slowest(0, 1.5));
        assertThat(ranks.slowest(new long[] {20, 20, 20, 20})).contains(new RankTimes.Slowest(0, 1));
        SlowRanks stages = new SlowRanks(new ProcessGrid(2, 2));
        assertThat(stages.slowest(new long[] {50, 60, 10, 15})).contains(new RankTimes.Slowest(3, 1.5));
        assertThat(new SlowRanks(new ProcessGrid(2, 1)).slowest(new long[] {1, 9}))
                .isEmpty();
    }
}
