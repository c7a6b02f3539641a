package dev.remat.compiler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.segment.ForwardGraph;
import dev.remat.compiler.plan.segment.ReplaySegments;
import dev.remat.compiler.plan.segment.SegmentSchedule;
import dev.remat.compiler.plan.segment.Segmentation;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Chains f0, f1, … whose backward … b1, b0 reads every value, and what strategies make of problems. */
public final class Chains {
    private Chains() {}

    /** Forward nodes cost 1, backward nodes nothing; gradients are of one byte. */
    public static RematProblem ofSizes(long... sizes) {
        long[] costs = new long[sizes.length];
        Arrays.fill(costs, 1);
        return of(sizes, costs);
    }

    public static RematProblem equal(int length) {
        long[] sizes = new long[length];
        Arrays.fill(sizes, 1);
        return ofSizes(sizes);
    }

    public static RematProblem of(long[] sizes, long[] costs) {
        List<ProblemNode> nodes = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++) {
            nodes.add(ProblemNode.of("f" + i, Role.FORWARD)
                    .withCost(costs[i])
                    .withInputs(i == 0 ? new int[0] : new int[] {i - 1})
                    .withResult(ProblemValue.of("f" + i, sizes[i])));
        }
        for (int i = sizes.length - 1; i >= 0; i--) {
            nodes.add(ProblemNode.of("b" + i, Role.BACKWARD)
                    .withInputs(i, nodes.size() - 1)
                    .withResult(ProblemValue.of("b" + i, 1)));
        }
        return RematProblem.of("chain", nodes, List.of());
    }

    /**
     * Segments p0 a0, p1 a1, … of which ai advances the state at cost 1, and pi, at no cost, makes of the state in
     * front of it what bi reads: the chain of which binomial checkpointing speaks.
     */
    public static RematProblem taped(int length) {
        List<ProblemNode> nodes = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            int[] state = i == 0 ? new int[0] : new int[] {2 * i - 1};
            nodes.add(ProblemNode.of("p" + i, Role.FORWARD).withInputs(state).withResult(ProblemValue.of("p" + i, 1)));
            nodes.add(ProblemNode.of("a" + i, Role.FORWARD)
                    .withCost(1)
                    .withInputs(state)
                    .withResult(ProblemValue.of("a" + i, 1)));
        }
        for (int i = length - 1; i >= 0; i--) {
            nodes.add(ProblemNode.of("b" + i, Role.BACKWARD)
                    .withInputs(2 * i, nodes.size() - 1)
                    .withResult(ProblemValue.of("b" + i, 1)));
        }
        return RematProblem.of("taped", nodes, List.of());
    }

    /** Cuts after each {@code nodes} nodes. */
    public static Segmentation eachNode(ForwardGraph graph, int nodes) {
        IntList cuts = new IntList();
        for (int p = nodes; p < graph.size(); p += nodes) {
            cuts.add(p);
        }
        return Segmentation.at(graph, cuts);
    }

    /** What a schedule makes of a chain in which each {@code nodes} nodes are a segment. */
    public static OperatorSequence replayed(RematProblem chain, int nodes, SegmentSchedule schedule) {
        ForwardGraph graph = ForwardGraph.of(chain, Retention.required(chain));
        return ReplaySegments.build("test", graph, Retention.required(chain), eachNode(graph, nodes), schedule);
    }

    /** Values that the strategy retains, with the reason. */
    public static List<String> retained(RematProblem problem, Planner planner, PlannerOptions options) {
        OperatorSequence sequence = planner.plan(problem, options);
        assertThat(SequenceEvaluator.evaluate(problem, sequence).violations()).isEmpty();
        return sequence.retained().stream()
                .map(kept -> problem.valueId(kept.value()) + " " + kept.reason().label())
                .toList();
    }

    /** The steps by name, a space between two. */
    public static String steps(RematProblem problem, OperatorSequence sequence) {
        return String.join(" ", sequence.steps().mapToObj(problem::nodeId).toList());
    }
}
