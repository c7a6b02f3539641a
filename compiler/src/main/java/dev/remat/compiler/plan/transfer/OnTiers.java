package dev.remat.compiler.plan.transfer;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.evaluate.OffloadPins;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks any strategy about any problem. One that knows nothing of tiers is asked about the device alone; what lives
 * below is then fetched before it is first read and stored after it has changed, and pins to offload are obeyed.
 */
public final class OnTiers {
    private OnTiers() {}

    /** A valid sequence. */
    public static OperatorSequence plan(Planner planner, RematProblem problem, PlannerOptions options) {
        if (problem.tiers().isEmpty() || planner.movesValues()) {
            return planner.plan(problem, options);
        }
        PlannerOptions unproven = options.telling(options.listener().withoutProofs());
        OperatorSequence alone = planner.plan(deviceAlone(problem), unproven);
        return OffloadPins.of(problem).isEmpty()
                ? BringResidents.into(problem, alone)
                : PinnedTransfers.into(problem, alone, options);
    }

    /** The same problem without tiers, where what lives below takes no memory. */
    public static RematProblem deviceAlone(RematProblem problem) {
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            ProblemNode node = problem.node(n);
            nodes.add(
                    node.home() == ProblemNode.DEVICE
                            ? node
                            : node.withHome(ProblemNode.DEVICE)
                                    .withResults(node.results().stream()
                                            .map(value -> ProblemValue.of(value.id(), 0))
                                            .toList()));
        }
        return RematProblem.of(problem.name(), nodes, problem.outputs());
    }
}
