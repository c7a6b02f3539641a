package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;

/**
 * Binomial checkpointing (Griewank and Walther, 2000): a chain of l equal segments is reversed with c checkpoints, the
 * input of the chain among them, in the least number of forward steps, r·l − C(c+r, c)·r/(c+1) for the r with
 * C(c+r−1, c) &lt; l ≤ C(c+r, c), besides the one that each segment's own backward needs. Sweeps the number of segments
 * and checkpoints.
 */
public final class Revolve implements BackwardPlanner {
    private static final double STEP = Math.sqrt(2);
    /** More forward passes than this are never worth their time to plan. */
    private static final int MOST_PASSES = 12;

    private static final long MOST_WORK = 60_000_000;

    @Override
    public String name() {
        return "revolve";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        SegmentTrials trials = new SegmentTrials(name(), problem, options);
        int positions = Math.max(1, trials.graph().size());
        trials.offer(Segmentation.balanced(trials.graph(), 1, trials.cutVertices()));
        long work = 0;
        for (int length = 2; length / 2 < positions && work < MOST_WORK; length *= 2) {
            Segmentation segmentation =
                    Segmentation.balanced(trials.graph(), Math.min(length, positions), trials.cutVertices());
            int segments = segmentation.size();
            int last = 0;
            for (double slots = segments - 1; slots >= 1; slots /= STEP) {
                int checkpoints = (int) slots;
                if (checkpoints == last || passes(segments, checkpoints) > MOST_PASSES) {
                    continue;
                }
                last = checkpoints;
                trials.offer(segmentation, schedule(segments, checkpoints));
                work += (long) problem.nodeCount() * (1 + passes(segments, checkpoints) / 2);
            }
        }
        return trials.best();
    }

    /** The best schedule of {@code length} equal segments with {@code checkpoints} in memory at once. */
    static SegmentSchedule schedule(int length, int checkpoints) {
        SegmentSchedule schedule = SegmentSchedule.each(length);
        int begin = 0;
        reverse(schedule, begin, length, checkpoints);
        return schedule;
    }

    /**
     * Reverses a part whose input is in memory as one of {@code checkpoints}; the run for its last segment, on which
     * the others are stored, has been set. The depth of recursion is at most the number of passes for each checkpoint.
     */
    private static void reverse(SegmentSchedule schedule, int first, int end, int checkpoints) {
        int begin = first;
        int left = checkpoints;
        IntList begins = new IntList();
        IntList slots = new IntList();
        while (end - begin > 1) {
            begins.add(begin);
            slots.add(left);
            begin += left == 1 ? end - begin - 1 : split(end - begin, left);
            left = Math.max(1, left - 1);
        }
        int until = begin;
        for (int i = begins.size() - 1; i >= 0; i--) {
            if (slots.get(i) == 1) {
                for (int segment = until - 1; segment >= begins.get(i); segment--) {
                    schedule.startAt(segment, begins.get(i));
                }
            } else {
                schedule.startAt(until - 1, begins.get(i));
                reverse(schedule, begins.get(i), until, slots.get(i));
            }
            until = begins.get(i);
        }
    }

    /** How many segments to go forward before the next checkpoint is stored. */
    private static int split(int length, int checkpoints) {
        int passes = passes(length, checkpoints);
        long most = binomial(checkpoints + passes - 1, checkpoints);
        long rest = binomial(checkpoints - 1 + passes - 1, checkpoints - 1);
        return Math.clamp(Math.min(most, length - rest), 1, length - 1);
    }

    /** The least r with {@code length} ≤ C(checkpoints + r, checkpoints). */
    public static int passes(int length, int checkpoints) {
        int passes = 0;
        while (binomial(checkpoints + passes, checkpoints) < length) {
            passes++;
        }
        return passes;
    }

    /** Stops at 2^40, which is more than any length. */
    public static long binomial(int n, int k) {
        int smaller = Math.min(k, n - k);
        long value = 1;
        for (int i = 1; i <= smaller; i++) {
            value = value * (n - smaller + i) / i;
            if (value > 1L << 40) {
                return 1L << 40;
            }
        }
        return value;
    }
}
