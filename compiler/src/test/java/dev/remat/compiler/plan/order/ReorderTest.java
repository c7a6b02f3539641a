package dev.remat.compiler.plan.order;

import static dev.remat.compiler.plan.Summaries.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.Summaries;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReorderTest {
    private static SequenceEvaluation all(RematProblem problem) {
        return SequenceEvaluator.evaluate(problem, new KeepAll().plan(problem, PlannerOptions.none()));
    }

    /** Given: data, a, b, c and a's summary live together, 1 + 10 + 10 + 1. Summaries first: 1 + 10 + 1 + 1. */
    @Test
    void meetsABudgetWithoutRecomputation() {
        RematProblem problem = Summaries.problem();
        assertThat(all(problem).peakBytes()).isEqualTo(22);
        Reordering reordering = Reorder.run(problem, SearchListener.NONE).orElseThrow();
        assertThat(all(reordering.problem()).peakBytes()).isEqualTo(13);
        OperatorSequence back =
                reordering.toOriginal(new KeepAll().plan(reordering.problem(), PlannerOptions.withBudget(13)));
        assertThat(back.steps()).containsExactly(1, 3, 2, 4, 5);
        assertThat(SequenceEvaluator.evaluate(problem, back).peakBytes()).isEqualTo(13);
        assertThat(SequenceEvaluator.evaluate(problem, back).overhead()).isZero();
    }

    /** A summary would have to run before one of a and b. */
    @Test
    void whatIsInTurnKeepsItsOrder() {
        assertThat(Reorder.run(inTurn(1, 2, 3, 4), SearchListener.NONE)).isEmpty();
        Reordering allowed = Reorder.run(inTurn(2, 3), SearchListener.NONE).orElseThrow();
        assertThat(all(allowed.problem()).peakBytes()).isEqualTo(13);
    }

    private static RematProblem inTurn(int... turns) {
        RematProblem problem = Summaries.problem();
        List<ProblemNode> nodes = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            int node = n;
            boolean turn = IntStream.of(turns).anyMatch(each -> each == node);
            nodes.add(turn ? problem.node(n).takingTurns() : problem.node(n));
        }
        return RematProblem.of("in turn", nodes, problem.outputs());
    }

    /**
     * As given, grad with its workspace finds a, b, for which the view of b waits, and its own 2 bytes: 2 + 2 + 2 + 5.
     * Only if what takes memory, late and last, comes first can grad lie where b lay: 2 + 2 + 5, as much as last takes.
     */
    @Test
    void takesMemoryEarlyWhereThatFreesMoreLater() {
        RematProblem problem = RematProblem.of(
                "workspace",
                List.of(
                        node("a", Role.FORWARD, 2),
                        node("b", Role.FORWARD, 2, 0),
                        ProblemNode.of("view", Role.BACKWARD).withInputs(0, 1).withResult(ProblemValue.view("view", 1)),
                        ProblemNode.of("grad", Role.BACKWARD)
                                .withInputs(0, 1)
                                .withWorkspace(5)
                                .withResult(ProblemValue.inPlace("grad", 2, 1)),
                        node("late", Role.BACKWARD, 1, 0, 2),
                        node("last", Role.BACKWARD, 4, 0, 4)),
                List.of());
        assertThat(all(problem).peakBytes()).isEqualTo(11);
        Reordering reordering = Reorder.run(problem, SearchListener.NONE).orElseThrow();
        assertThat(all(reordering.problem()).peakBytes()).isEqualTo(9);
        assertThat(Floor.of(problem).bytes()).isEqualTo(9);
    }

    /** The same nodes, but each summary reads both: no order keeps less than the two together. */
    @Test
    void findsNothingWhereEveryOrderNeedsAsMuch() {
        RematProblem problem = RematProblem.of(
                "both",
                List.of(
                        ProblemNode.resident("data", 1),
                        node("a", Role.FORWARD, 10, 0),
                        node("b", Role.FORWARD, 10, 0),
                        node("sum_a", Role.FORWARD, 1, 1, 2),
                        node("sum_b", Role.FORWARD, 1, 1, 2),
                        node("end", Role.BACKWARD, 1, 3, 4)),
                List.of());
        assertThat(Reorder.run(problem, SearchListener.NONE)).isEmpty();
    }

    /** Both weight gradients are given after the chain of gradients, which keeps x and dy. */
    @Test
    void updatesWeightsAsSoonAsItCan() {
        RematProblem problem = RematProblem.of(
                "weights",
                List.of(
                        ProblemNode.resident("w1", 10), ProblemNode.resident("w2", 10),
                        node("x1", Role.FORWARD, 50, 0), node("x2", Role.FORWARD, 50, 2, 1),
                        node("d2", Role.BACKWARD, 50, 3), node("d1", Role.BACKWARD, 50, 4, 1),
                        node("g2", Role.BACKWARD, 10, 4, 2), node("g1", Role.BACKWARD, 10, 5),
                        node("u2", Role.UPDATE, 0, 6, 1).withWrites(1),
                                node("u1", Role.UPDATE, 0, 7, 0).withWrites(0)),
                List.of());
        // At g2 in the given order: 20 residents, x1, d2, d1 and g2. With g2 before d1 the most is at d2, with x1 and
        // x2:
        // 170, which no order avoids.
        assertThat(all(problem).peakBytes()).isEqualTo(180);
        Reordering reordering = Reorder.run(problem, SearchListener.NONE).orElseThrow();
        assertThat(all(reordering.problem()).peakBytes()).isEqualTo(170);
    }

    @Test
    void keepsEveryProblemValidAndForwardInFront() {
        int found = 0;
        for (int seed = 1; seed <= 200; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 3 + seed % 30);
            Optional<Reordering> reordering = Reorder.run(problem, SearchListener.NONE);
            if (reordering.isEmpty()) {
                continue;
            }
            found++;
            RematProblem other = reordering.get().problem();
            SequenceEvaluation evaluation = all(other);
            assertThat(evaluation.peakBytes()).isLessThan(all(problem).peakBytes());
            PlannerOptions options = PlannerOptions.withBudget((Floor.of(other).bytes() + evaluation.peakBytes()) / 2);
            for (Planner planner : List.of(new KeepAll(), new Sqrt(), new PeakPriority())) {
                OperatorSequence sequence = planner.plan(other, options);
                OperatorSequence back = reordering.get().toOriginal(sequence);
                SequenceEvaluation here = SequenceEvaluator.evaluate(problem, back);
                assertThat(here.violations()).isEmpty();
                assertThat(here.peakBytes())
                        .isEqualTo(SequenceEvaluator.evaluate(other, sequence).peakBytes());
                assertThat(back.retained()).hasSameSizeAs(sequence.retained());
            }
            int firstBackward = Retention.firstBackward(other);
            assertThat(firstBackward).isEqualTo(Retention.firstBackward(problem));
        }
        assertThat(found).isPositive();
    }
}
