package dev.remat.compiler.plan.build;

import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.PeakTree;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.evaluate.StorageTimeline;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Removes recomputations that the budget does not ask for: without one, what the computation before it made stays in
 * memory up to the last read, which fits where the steps between have that many bytes to spare. Goes by cost saved for
 * bytes times steps, several rounds, since every removal also frees what the recomputation had read.
 */
public final class RemoveRecomputations {
    private static final int MOST_ROUNDS = 12;
    /** What a round takes as long as, in passes over the steps. */
    private static final int PASSES = 4;

    /** Removals after which time is looked at. */
    private static final int CHECKED = 256;

    private record Removal(int step, double gain) {}

    private final RematProblem problem;
    private final OperatorSequence sequence;
    private final StorageTimeline timeline;
    private final PeakTree live;
    private final long budget;
    /** Per step: the step that ran the same node before, or -1. */
    private final int[] previous;

    private final boolean[] read;

    private RemoveRecomputations(RematProblem problem, OperatorSequence sequence, long budget) {
        this.problem = problem;
        this.sequence = sequence;
        this.budget = budget;
        timeline = StorageTimeline.of(problem, sequence);
        live = new PeakTree(timeline.liveBytes());
        previous = new int[sequence.length()];
        read = new boolean[timeline.instanceCount()];
        int[] latest = new int[problem.nodeCount()];
        Arrays.fill(latest, -1);
        for (int t = 0; t < previous.length; t++) {
            int node = sequence.node(t);
            for (int k = 0; k < problem.inputCount(node); k++) {
                int v = problem.input(node, k);
                int made = latest[problem.producer(v)];
                if (made >= 0) {
                    read[timeline.instance(made, v - problem.firstResult(problem.producer(v)))] = true;
                }
            }
            previous[t] = latest[node];
            latest[node] = t;
        }
        for (int v : problem.outputs()) {
            int made = latest[problem.producer(v)];
            if (made >= 0) {
                read[timeline.instance(made, v - problem.firstResult(problem.producer(v)))] = true;
            }
        }
    }

    /** A sequence that fits if {@code sequence} does, and costs no more; removes less where time is up. */
    public static OperatorSequence run(
            RematProblem problem, OperatorSequence sequence, long budget, SearchListener listener) {
        OperatorSequence best = sequence;
        for (int round = 0; round < MOST_ROUNDS && !listener.expired(); round++) {
            OperatorSequence shorter = new RemoveRecomputations(problem, best, budget).round(listener);
            listener.worked(PASSES * (long) best.length());
            SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, shorter);
            boolean better = shorter.length() < best.length() && evaluation.valid() && evaluation.peakBytes() <= budget;
            if (!better) {
                break;
            }
            best = shorter;
        }
        return best;
    }

    private OperatorSequence round(SearchListener listener) {
        List<Removal> removals = new ArrayList<>();
        for (int t = 0; t < previous.length; t++) {
            int node = sequence.node(t);
            boolean fixed = problem.pin(node) == Pin.RECOMPUTE || showsResident(node);
            if (previous[t] >= 0 && !fixed) {
                removals.add(new Removal(t, problem.cost(node) / (1 + extension(t))));
            }
        }
        removals.sort(Comparator.comparingDouble((Removal r) -> -r.gain()).thenComparingInt(Removal::step));
        boolean[] touched = new boolean[problem.nodeCount()];
        boolean[] removed = new boolean[previous.length];
        for (int i = 0; i < removals.size() && (i % CHECKED != 0 || !listener.expired()); i++) {
            Removal removal = removals.get(i);
            int node = sequence.node(removal.step());
            if (!touched[node] && extend(removal.step())) {
                touched[node] = true;
                removed[removal.step()] = true;
            }
        }
        IntList steps = new IntList();
        for (int t = 0; t < removed.length; t++) {
            if (!removed[t]) {
                steps.add(sequence.node(t));
            }
        }
        return new OperatorSequence(sequence.strategy(), steps.toArray(), sequence.retained());
    }

    private boolean showsResident(int node) {
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            if (problem.resident(v)) {
                return true;
            }
        }
        return false;
    }

    /** Bytes times steps by which earlier results would have to stay longer. */
    private double extension(int step) {
        double sum = 0;
        int node = sequence.node(step);
        for (int result = 0; result < problem.endResult(node) - problem.firstResult(node); result++) {
            sum += (double) bytes(step, result) * Math.max(0, until(step, result) - since(step, result));
        }
        return sum;
    }

    /** Lets the earlier results stay if that fits everywhere; whether it does. */
    private boolean extend(int step) {
        int node = sequence.node(step);
        int results = problem.endResult(node) - problem.firstResult(node);
        int extended = 0;
        boolean fits = true;
        while (fits && extended < results) {
            int from = since(step, extended);
            int to = until(step, extended);
            long bytes = bytes(step, extended);
            fits = from >= to || live.largest(from, to) + bytes <= budget;
            if (fits) {
                live.add(from, to, bytes);
                extended++;
            }
        }
        for (int result = 0; !fits && result < extended; result++) {
            live.add(since(step, result), until(step, result), -bytes(step, result));
        }
        return fits;
    }

    /** The step after the last one at which the earlier result is in memory. */
    private int since(int step, int result) {
        return timeline.last(timeline.storage(timeline.instance(previous[step], result))) + 1;
    }

    /**
     * The step at which it need not be in memory any more, because the recomputation has it or nothing reads its
     * results.
     */
    private int until(int step, int result) {
        int instance = timeline.instance(step, result);
        int storage = timeline.storage(instance);
        boolean allocates = timeline.lower(storage) == step && storage == instance;
        return !read[instance] ? 0 : allocates ? step : timeline.last(storage) + 1;
    }

    private long bytes(int step, int result) {
        return problem.bytes(problem.storage(problem.firstResult(sequence.node(step)) + result));
    }
}
