package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Bytes of each tier that a valid sequence occupies, by positions alone: a copy from its store to the first reader of
 * its last fetch, where that has certainly ended, or without any to where the store is awaited. What lives in a tier is
 * there for the whole step.
 */
public final class TierBytes {
    private static final int NONE = -1;

    /** A place of a tier. */
    private static final class Copy {
        final int value;
        final int tier;
        final int from;
        int last;
        boolean awaited;

        Copy(int value, int tier, int from) {
            this.value = value;
            this.tier = tier;
            this.from = from;
            last = from;
        }
    }

    private final RematProblem problem;
    private final OperatorSequence sequence;
    private final List<Copy> copies = new ArrayList<>();
    /** Per value: index of the copy stored last. */
    private final int[] stored;
    /** Per value: index of the copy whose fetch nothing has read yet. */
    private final int[] fetching;

    private TierBytes(RematProblem problem, OperatorSequence sequence) {
        this.problem = problem;
        this.sequence = sequence;
        stored = new int[problem.valueCount()];
        fetching = new int[problem.valueCount()];
        Arrays.fill(stored, NONE);
        Arrays.fill(fetching, NONE);
        for (int t = 0; t < sequence.length(); t++) {
            if (sequence.runs(t)) {
                run(t, sequence.node(t));
            } else {
                move(t, sequence.step(t));
            }
        }
        for (Copy copy : copies) {
            copy.last = copy.awaited ? copy.last : sequence.length() - 1;
        }
    }

    /** The most bytes of each tier in use at a step; requires a sequence without violations. */
    public static long[] peaks(RematProblem problem, OperatorSequence sequence) {
        return new TierBytes(problem, sequence).peaks();
    }

    private void run(int step, int node) {
        for (int k = 0; k < problem.inputCount(node); k++) {
            int v = problem.input(node, k);
            if (fetching[v] != NONE) {
                Copy copy = copies.get(fetching[v]);
                copy.last = Math.max(copy.last, step);
                copy.awaited = true;
                fetching[v] = NONE;
            }
        }
    }

    private void move(int step, SequenceStep move) {
        switch (move) {
            case SequenceStep.Run run -> throw new IllegalStateException(run + " is no transfer");
            case SequenceStep.Store store -> {
                if (problem.home(store.value()) == ProblemNode.DEVICE) {
                    stored[store.value()] = copies.size();
                    copies.add(new Copy(store.value(), store.tier(), step));
                }
            }
            case SequenceStep.Await await -> {
                if (stored[await.value()] != NONE) {
                    Copy copy = copies.get(stored[await.value()]);
                    copy.last = Math.max(copy.last, step);
                    copy.awaited = true;
                }
            }
            case SequenceStep.Fetch fetch -> fetching[fetch.value()] = stored[fetch.value()];
        }
    }

    private long[] peaks() {
        long[] peaks = new long[problem.tiers().size()];
        for (int tier = 0; tier < peaks.length; tier++) {
            long[] change = new long[sequence.length() + 1];
            for (Copy copy : copies) {
                if (copy.tier == tier) {
                    change[copy.from] += problem.bytes(copy.value);
                    change[copy.last + 1] -= problem.bytes(copy.value);
                }
            }
            long live = problem.residentBytes(tier);
            peaks[tier] = live;
            for (long bytes : change) {
                live += bytes;
                peaks[tier] = Math.max(peaks[tier], live);
            }
        }
        return peaks;
    }
}
