package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;

/**
 * Cuts the forward into k parts, keeps what enters each, and treats each part the same way when the backward reaches it
 * (Chen, Xu, Zhang and Guestrin, 2016, section 4.4): memory of about k·log n to the base k, and about log n forward
 * passes. Sweeps k and the size of the parts that are not divided further.
 */
public final class Recursive implements BackwardPlanner {
    private static final int[] PARTS = {2, 3, 4, 6, 8};
    private static final int FEWEST_LEAVES = 2;
    /** Steps of all sequences tried after which no finer division is tried. */
    private static final long MOST_WORK = 40_000_000;

    @Override
    public String name() {
        return "recursive";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        SegmentTrials trials = new SegmentTrials(name(), problem, options);
        int positions = Math.max(1, trials.graph().size());
        trials.offer(Segmentation.balanced(trials.graph(), 1, trials.cutVertices()));
        long work = 0;
        for (int leaves = FEWEST_LEAVES; leaves / 2 < positions && work < MOST_WORK; leaves *= 2) {
            for (boolean anywhere : new boolean[] {false, true}) {
                boolean[] preferred = anywhere ? new boolean[positions] : trials.cutVertices();
                Segmentation segmentation =
                        Segmentation.balanced(trials.graph(), Math.min(leaves, positions), preferred);
                for (int parts : PARTS) {
                    if (segmentation.size() > parts) {
                        trials.offer(segmentation, schedule(segmentation.size(), parts));
                        work += problem.nodeCount();
                    }
                }
            }
        }
        return trials.best();
    }

    /** The schedule of {@code leaves} segments divided by {@code parts} again and again. */
    static SegmentSchedule schedule(int leaves, int parts) {
        SegmentSchedule schedule = SegmentSchedule.each(leaves);
        divide(schedule, 0, leaves, parts);
        return schedule;
    }

    /** Divides a part whose last segment has its start; the depth is the logarithm of the number of segments. */
    private static void divide(SegmentSchedule schedule, int begin, int end, int parts) {
        int size = end - begin;
        if (size < 2) {
            return;
        }
        for (int i = Math.min(parts, size) - 1; i >= 0; i--) {
            int from = begin + (int) ((long) size * i / Math.min(parts, size));
            int to = begin + (int) ((long) size * (i + 1) / Math.min(parts, size));
            if (to < end) {
                schedule.startAt(to - 1, from);
            }
            divide(schedule, from, to, parts);
        }
    }
}
