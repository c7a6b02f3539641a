package dev.remat.compiler.plan.block;

import dev.remat.compiler.plan.block.ChainDp.ChainBlocks;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.segment.SegmentSchedule;

/**
 * The least cost of reversing blocks {@code first} to {@code last} in so much memory, the input of the first aside, for
 * all pairs and amounts; memory is counted in parts of the limit, rounded up.
 */
final class ChainTable {
    private static final int PARTS = 96;
    private static final int KEEP_ALL = -1;
    private static final int KEEP_SOME = -2;

    private final ChainBlocks blocks;
    private final int count;
    private final double part;
    private final double[][][] least;
    /** Per state: how to treat the first block, or the block whose input is kept next. */
    private final int[][][] choice;

    ChainTable(ChainBlocks blocks, double limit) {
        this.blocks = blocks;
        count = blocks.count();
        part = Math.max(1, limit) / PARTS;
        least = new double[count][count][PARTS + 1];
        choice = new int[count][count][PARTS + 1];
        for (int length = 1; length <= count; length++) {
            for (int first = 0; first + length <= count; first++) {
                for (int memory = 0; memory <= PARTS; memory++) {
                    fill(first, first + length - 1, memory);
                }
            }
        }
    }

    /** Whether the chain can be reversed within the limit. */
    boolean feasible() {
        return least[0][count - 1][PARTS] < Double.POSITIVE_INFINITY;
    }

    /** Cost of all runs of the best schedule. */
    double cost() {
        return least[0][count - 1][PARTS];
    }

    private int parts(long bytes) {
        return (int) Math.min(PARTS + 1, Math.ceil(bytes / part));
    }

    private void fill(int first, int last, int memory) {
        double best = Double.POSITIVE_INFINITY;
        int chosen = KEEP_ALL;
        boolean fits = parts(blocks.all()[first]) <= memory;
        if (first == last) {
            best = fits ? blocks.cost()[first] : best;
        } else {
            double run = blocks.cost()[first];
            if (fits) {
                best = run + at(first + 1, last, memory - parts(blocks.all()[first]));
                long kept = blocks.some()[first] + blocks.input()[first + 1];
                double some = run + blocks.rest()[first] + at(first + 1, last, memory - parts(kept));
                if (some < best) {
                    best = some;
                    chosen = KEEP_SOME;
                }
            }
            for (int next = first + 1; next <= last; next++) {
                double cost = run + at(next, last, memory - parts(blocks.input()[next])) + at(first, next - 1, memory);
                if (cost < best) {
                    best = cost;
                    chosen = next;
                }
                run += blocks.cost()[next];
            }
        }
        least[first][last][memory] = best;
        choice[first][last][memory] = chosen;
    }

    private double at(int first, int last, int memory) {
        return memory < 0 ? Double.POSITIVE_INFINITY : least[first][last][memory];
    }

    /** @param some per value whether it is among those that a block keeps where it keeps some */
    SegmentSchedule schedule(boolean[] some) {
        SegmentSchedule schedule = SegmentSchedule.each(count, some);
        IntList pending = new IntList();
        descend(schedule, 0, count - 1, PARTS, true, pending);
        for (int i = 0; i < pending.size(); i += 3) {
            schedule.startAt(pending.get(i + 1), pending.get(i));
            descend(schedule, pending.get(i), pending.get(i + 1), pending.get(i + 2), false, pending);
        }
        return schedule;
    }

    /** Follows one run to its last block; parts that need runs of their own are left in {@code pending}. */
    private void descend(
            SegmentSchedule schedule, int begin, int last, int available, boolean forward, IntList pending) {
        int first = begin;
        int memory = available;
        while (first < last) {
            int chosen = choice[first][last][memory];
            if (chosen >= 0) {
                pending.add(first);
                pending.add(chosen - 1);
                pending.add(memory);
                memory -= parts(blocks.input()[chosen]);
                first = chosen;
            } else {
                boolean all = chosen == KEEP_ALL;
                if (forward) {
                    schedule.keepFromForward(first, all);
                } else {
                    schedule.keepFromReplay(first, last, all);
                }
                memory -= parts(all ? blocks.all()[first] : blocks.some()[first] + blocks.input()[first + 1]);
                first++;
            }
        }
    }
}
