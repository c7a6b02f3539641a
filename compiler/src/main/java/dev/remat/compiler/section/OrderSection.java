package dev.remat.compiler.section;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.transfer.Offload;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;

/**
 * Sequences for a section that runs as it is. What lives below comes for each node and leaves behind it: in no more
 * memory than that takes, or beside what is brought for the nodes before and behind.
 */
public final class OrderSection {
    /** While a node runs, what the one before it has changed is stored and what the next one needs is fetched. */
    private static final int MOST_AHEAD = 2;

    private OrderSection() {}

    /** The fastest first. */
    public static List<OperatorSequence> run(RematProblem problem) {
        long brought = mostBrought(problem);
        if (brought == 0) {
            return List.of(new KeepAll().plan(problem, PlannerOptions.none()));
        }
        OperatorSequence least = Offload.state().plan(problem, PlannerOptions.none());
        long peak = SequenceEvaluator.evaluate(problem, least).peakBytes();
        List<OperatorSequence> sequences = new ArrayList<>();
        for (int ahead = MOST_AHEAD; ahead > 0; ahead--) {
            PlannerOptions room = PlannerOptions.none().within(peak + ahead * brought);
            sequences.add(Offload.state().plan(problem, room));
        }
        sequences.add(least);
        return sequences;
    }

    /** Bytes that live below and that a node needs, where they are most. */
    private static long mostBrought(RematProblem problem) {
        long most = 0;
        for (int node = 0; node < problem.nodeCount(); node++) {
            long bytes = 0;
            for (int k = 0; k < problem.inputCount(node); k++) {
                int value = problem.storage(problem.input(node, k));
                bytes += problem.home(value) == ProblemNode.DEVICE ? 0 : problem.bytes(value);
            }
            most = Math.max(most, bytes);
        }
        return most;
    }
}
