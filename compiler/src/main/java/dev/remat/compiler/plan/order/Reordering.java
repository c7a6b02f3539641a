package dev.remat.compiler.plan.order;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainedValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A problem with its nodes in another order, and the way back to the original. */
public final class Reordering {
    private static final double MUCH_LESS = 0.95;

    private final RematProblem original;
    private final RematProblem problem;
    private final int[] originalNode;

    /** @param order index in {@code original} of each node, in the order in which they are to stand */
    Reordering(RematProblem original, int[] order) {
        this.original = original;
        originalNode = order.clone();
        problem = original.inOrder(order);
    }

    /** Whether keeping everything takes so much less in this order that a large problem is planned in it. */
    public boolean takesMuchLess() {
        return keepAllBytes(problem) <= MUCH_LESS * keepAllBytes(original);
    }

    static long keepAllBytes(RematProblem problem) {
        PlannerOptions none = PlannerOptions.none();
        return SequenceEvaluator.evaluate(problem, new KeepAll().plan(problem, none))
                .peakBytes();
    }

    /** The problem in the other order. */
    public RematProblem problem() {
        return problem;
    }

    /** A strategy for the original problem that is another's in this order; what it proves is not heard. */
    public Planner asking(Planner planner) {
        return new Planner() {
            @Override
            public String name() {
                return planner.name();
            }

            @Override
            public OperatorSequence plan(RematProblem asked, PlannerOptions options) {
                return toOriginal(
                        planner.plan(problem, options.telling(options.listener().withoutProofs())));
            }
        };
    }

    /** What a sequence of the reordered problem is in the original one. */
    public OperatorSequence toOriginal(OperatorSequence sequence) {
        List<RetainedValue> retained = new ArrayList<>();
        for (RetainedValue kept : sequence.retained()) {
            int node = problem.producer(kept.value());
            int result = kept.value() - problem.firstResult(node);
            retained.add(new RetainedValue(original.firstResult(originalNode[node]) + result, kept.reason()));
        }
        retained.sort(Comparator.comparingInt(RetainedValue::value));
        int[] steps = sequence.steps().map(node -> originalNode[node]).toArray();
        return new OperatorSequence(sequence.strategy(), steps, retained);
    }
}
