package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.build.SequenceBuilder;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Retains the results of expensive nodes and recomputes the cheap ones, as {@code speed} of OpenAI's
 * gradient-checkpointing retains those of convolutions and matrix products (Salimans and Bulatov, 2018).
 *
 * <p>Planners see no operations but their costs: expensive are the costliest forward nodes that together take nine
 * tenths of the forward's cost.
 */
public final class RetainExpensive implements BackwardPlanner {
    private static final double EXPENSIVE_PART = 0.9;

    @Override
    public String name() {
        return "speed";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        List<Integer> costliest = IntStream.range(0, Retention.firstBackward(problem))
                .filter(n -> problem.role(n) == Role.FORWARD && !problem.residentNode(n))
                .boxed()
                .sorted(Comparator.comparingLong((Integer n) -> -problem.cost(n)))
                .toList();
        double left =
                EXPENSIVE_PART * costliest.stream().mapToLong(problem::cost).sum();
        Retention retention = Retention.required(problem);
        for (int node : costliest) {
            if (left <= 0) {
                break;
            }
            left -= problem.cost(node);
            for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
                retention.retain(v, RetainReason.CHOSEN);
            }
        }
        return SequenceBuilder.build(name(), problem, retention);
    }
}
