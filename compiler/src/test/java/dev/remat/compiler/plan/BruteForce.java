package dev.remat.compiler.plan;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;

/** Peak of a valid sequence straight from the definition, asked anew for every pair of storage and step. */
public final class BruteForce {
    private record Made(int step, int value) {}

    private final RematProblem problem;
    private final OperatorSequence sequence;
    private final List<Made> all = new ArrayList<>();

    private BruteForce(RematProblem problem, OperatorSequence sequence) {
        this.problem = problem;
        this.sequence = sequence;
        for (int t = 0; t < sequence.length(); t++) {
            for (int v = problem.firstResult(sequence.node(t)); v < problem.endResult(sequence.node(t)); v++) {
                all.add(new Made(t, v));
            }
        }
    }

    public static long peak(RematProblem problem, OperatorSequence sequence) {
        return new BruteForce(problem, sequence).peak();
    }

    private long peak() {
        long residents = 0;
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            residents += node.resident()
                    ? node.results().stream().mapToLong(ProblemValue::bytes).sum()
                    : 0;
        }
        long peak = residents;
        for (int t = 0; t < sequence.length(); t++) {
            long sum = residents + problem.node(sequence.node(t)).workspaceBytes();
            for (Made made : all) {
                boolean counted = made.step <= t && t <= lastUse(made) && !(made.step == t && runsInPlace(made));
                sum += owns(made) && counted ? size(made.value) : 0;
            }
            peak = Math.max(peak, sum);
        }
        return peak;
    }

    private long size(int value) {
        int node = problem.producer(value);
        return problem.node(node)
                .results()
                .get(value - problem.firstResult(node))
                .bytes();
    }

    private boolean owns(Made made) {
        return problem.viewOf(made.value) == ProblemValue.NONE;
    }

    /** The computation of {@code value} that a reader at {@code step} sees; null for residents. */
    private Made seen(int value, int step) {
        Made latest = null;
        for (Made made : all) {
            if (made.value == value && made.step < step) {
                latest = made;
            }
        }
        return latest;
    }

    /** What owns the memory that {@code made} lies in; null for residents. */
    private Made owner(Made made) {
        Made at = made;
        while (at != null && !owns(at)) {
            at = seen(problem.viewOf(at.value), at.step);
        }
        return at;
    }

    private int lastUse(Made storage) {
        int last = storage.step;
        for (int t = storage.step + 1; t < sequence.length(); t++) {
            for (int v : problem.node(sequence.node(t)).inputs()) {
                Made read = seen(v, t);
                if (read != null && storage.equals(owner(read))) {
                    last = t;
                }
            }
        }
        for (int output : problem.outputs()) {
            Made read = seen(output, sequence.length());
            if (read != null && storage.equals(owner(read))) {
                last = sequence.length();
            }
        }
        return last;
    }

    private boolean runsInPlace(Made made) {
        int replaced = problem.inPlaceOf(made.value);
        if (replaced == ProblemValue.NONE || seen(replaced, made.step) == null) {
            return false;
        }
        Made old = owner(seen(replaced, made.step));
        if (old == null || lastUse(old) != made.step || size(old.value) != size(made.value)) {
            return false;
        }
        for (Made rival : all) {
            int wanted = problem.inPlaceOf(rival.value);
            boolean earlier = rival.step == made.step && rival.value < made.value;
            if (earlier
                    && wanted != ProblemValue.NONE
                    && seen(wanted, rival.step) != null
                    && old.equals(owner(seen(wanted, rival.step)))
                    && size(rival.value) == size(made.value)) {
                return false;
            }
        }
        return true;
    }
}
