package dev.remat.compiler.plan.build;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Turns the choice of what to retain into a sequence: the nodes in the given order, and before a backward node the
 * recomputations of exactly those forward nodes whose dropped results it needs, directly or through others. What a
 * recomputation has computed serves all later steps, so a node runs at most twice.
 *
 * <p>Nodes that change a resident are moved after the last step that needs its old content. Takes time in proportion
 * to the edges, but for sorting the recomputations of each backward node.
 */
public final class SequenceBuilder {
    private final RematProblem problem;
    private final Retention retention;
    /** Per value: whether a backward node or a recomputation can read it. */
    private final boolean[] available;
    /** Per value: whether its first computation was read by a backward node or a recomputation. */
    private final boolean[] kept;

    private final boolean[] collected;
    private final IntList steps = new IntList();
    private final IntList recomputations = new IntList();

    private SequenceBuilder(RematProblem problem, Retention retention) {
        this.problem = problem;
        this.retention = retention;
        available = new boolean[problem.valueCount()];
        kept = new boolean[problem.valueCount()];
        collected = new boolean[problem.nodeCount()];
        for (int v = 0; v < available.length; v++) {
            int producer = problem.producer(v);
            available[v] =
                    problem.role(producer) != Role.FORWARD || problem.residentNode(producer) || retention.retained(v);
        }
    }

    /** The sequence in which exactly the retained values, and views of residents, survive until the backward. */
    public static OperatorSequence build(String strategy, RematProblem problem, Retention retention) {
        retention.retainShared();
        SequenceBuilder builder = new SequenceBuilder(problem, retention);
        addInOrder(problem, builder.steps, builder::recomputeInputs);
        int[] steps = DelayWrites.of(problem, builder.steps.toArray());
        return new OperatorSequence(strategy, steps, retention.reasons(builder.kept));
    }

    /** Adds all nodes in the given order, and in front of each that is not of the forward what {@code serve} adds. */
    public static void addInOrder(RematProblem problem, IntList steps, IntConsumer serve) {
        int firstBackward = Retention.firstBackward(problem);
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (problem.residentNode(n)) {
                continue;
            }
            if (n >= firstBackward && problem.role(n) != Role.FORWARD) {
                serve.accept(n);
            }
            steps.add(n);
        }
    }

    private void recomputeInputs(int node) {
        recomputations.clear();
        collectMissing(node);
        for (int i = 0; i < recomputations.size(); i++) {
            collectMissing(recomputations.get(i));
        }
        int[] order = recomputations.toArray();
        Arrays.sort(order);
        for (int n : order) {
            steps.add(n);
            collected[n] = false;
            for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                available[v] = true;
            }
        }
    }

    private void collectMissing(int node) {
        for (int k = 0; k < problem.inputCount(node); k++) {
            int v = problem.input(node, k);
            int producer = problem.producer(v);
            if (available[v]) {
                kept[v] |= retention.retained(v);
            } else if (!collected[producer]) {
                collected[producer] = true;
                recomputations.add(producer);
            }
        }
    }
}
