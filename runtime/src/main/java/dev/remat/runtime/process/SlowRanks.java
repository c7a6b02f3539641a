package dev.remat.runtime.process;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Finds who computes for longer than the others of its stage, which then wait for it at every exchange: a machine that
 * is throttled, or shared with other work.
 */
final class SlowRanks {
    /** Steps that are compared at a time; the first of a run are not. */
    private static final int STEPS = 20;

    private static final double LONGER = 1.25;
    /** What short steps differ by tells nothing. */
    private static final double LEAST_NANOS = 1e6;

    private final ProcessGrid grid;
    private final Set<Integer> said = new HashSet<>();
    private final long[] sums;
    private int steps;
    private boolean begun;

    SlowRanks(ProcessGrid grid) {
        this.grid = grid;
        this.sums = new long[grid.processes()];
    }

    /**
     * Who has computed for longest beside the others of its stage; empty where each stage has one rank.
     *
     * @param nanos that each process has computed for, waiting left out
     */
    Optional<RankTimes.Slowest> slowest(long[] nanos) {
        return IntStream.range(0, grid.ranks() == 1 ? 0 : grid.stages())
                .mapToObj(stage -> slowest(stage, nanos))
                .max(Comparator.comparingDouble(RankTimes.Slowest::share));
    }

    /** Of a stage, beside the median of its other ranks. */
    private RankTimes.Slowest slowest(int stage, long[] nanos) {
        int ranks = grid.ranks();
        int first = grid.process(stage, 0);
        long[] ascending = Arrays.copyOfRange(nanos, first, first + ranks);
        Arrays.sort(ascending);
        int process = IntStream.range(first, first + ranks)
                .filter(each -> nanos[each] == ascending[ranks - 1])
                .findFirst()
                .orElseThrow();
        return new RankTimes.Slowest(process, nanos[process] / (double) Math.max(1, ascending[(ranks - 2) / 2]));
    }

    /** Hears how long all processes have computed in a step, and says who is slow, of each process once. */
    Optional<String> hear(long[] nanos) {
        for (int process = 0; process < sums.length; process++) {
            sums[process] += nanos[process];
        }
        steps++;
        if (steps < STEPS) {
            return Optional.empty();
        }
        Optional<String> slow = begun ? slowest(sums).flatMap(this::told) : Optional.empty();
        begun = true;
        steps = 0;
        Arrays.fill(sums, 0);
        return slow;
    }

    private Optional<String> told(RankTimes.Slowest slowest) {
        int process = slowest.process();
        double own = sums[process] / (double) steps;
        if (slowest.share() < LONGER || own - own / slowest.share() < LEAST_NANOS || !said.add(process)) {
            return Optional.empty();
        }
        return Optional.of(String.format(
                Locale.ROOT,
                "%s computes for %.1f ms a step, %.0f %% longer than %s, which wait%s for it",
                grid.name(process),
                own / 1e6,
                100 * (slowest.share() - 1),
                grid.ranks() == 2 ? grid.name(grid.process(grid.stage(process), 1 - grid.rank(process))) : "others",
                grid.ranks() == 2 ? "s" : ""));
    }
}
