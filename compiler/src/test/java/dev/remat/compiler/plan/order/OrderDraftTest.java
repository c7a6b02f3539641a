package dev.remat.compiler.plan.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.IrregularGraphs;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OrderDraftTest {
    private static RematProblem withoutPins(RematProblem problem) {
        return problem.withPins(Collections.nCopies(problem.nodeCount(), Pin.NONE));
    }

    private static OrderDraft draft(RematProblem problem, long target) {
        int[] given = IntStream.range(0, problem.nodeCount()).toArray();
        return new OrderDraft(problem, new OrderRules(problem), given, target);
    }

    private static void agrees(RematProblem problem, OrderDraft draft, long target) {
        int[] steps = Arrays.stream(draft.order())
                .filter(n -> !problem.residentNode(n))
                .toArray();
        SequenceEvaluation evaluation =
                SequenceEvaluator.evaluate(problem, new OperatorSequence("order", steps, List.of()));
        assertThat(evaluation.violations()).isEmpty();
        assertThat(draft.peakBytes()).isEqualTo(evaluation.peakBytes());
        long excess = Arrays.stream(evaluation.liveBytes())
                .map(bytes -> Math.max(0, bytes - target))
                .sum();
        assertThat(draft.excess()).isEqualTo(excess);
        assertThat(problem.inOrder(draft.order()).nodeCount()).isEqualTo(problem.nodeCount());
    }

    /** Views, in-place results, several results, updates: whatever moves, the draft knows what the evaluator says. */
    private static void moveAbout(RematProblem problem, long seed, int moves) {
        SplittableRandom random = new SplittableRandom(seed);
        long target = draft(problem, 0).peakBytes() * 3 / 4;
        OrderDraft draft = draft(problem, target);
        agrees(problem, draft, target);
        for (int i = 0; i < moves; i++) {
            int node = random.nextInt(problem.nodeCount());
            if (problem.residentNode(node)) {
                continue;
            }
            int low = draft.low(node);
            int[] order = draft.order();
            long excess = draft.excess();
            int to = low + random.nextInt(draft.high(node) - low + 1);
            long grows = draft.move(node, to);
            if (random.nextBoolean()) {
                draft.keep();
                assertThat(draft.position(node)).isEqualTo(to);
                assertThat(draft.excess()).isEqualTo(excess + grows);
            } else {
                draft.takeBack();
                assertThat(draft.order()).containsExactly(order);
                assertThat(draft.excess()).isEqualTo(excess);
            }
            agrees(problem, draft, target);
        }
    }

    @Test
    void agreesWithTheEvaluatorAfterEveryMoveInATrainingStep() {
        for (int seed = 1; seed <= 60; seed++) {
            moveAbout(withoutPins(RandomProblems.trainingStep(seed, 3 + seed % 25)), seed, 40);
        }
    }

    @Test
    void agreesWithTheEvaluatorAfterEveryMoveInAnIrregularGraph() {
        moveAbout(IrregularGraphs.of(60, 3), 5, 300);
    }

    /** One place further than the window, before what the node needs or behind what needs it, and the order is none. */
    @Test
    void knowsAllPlacesThatANodeMayTake() {
        RematProblem problem = withoutPins(RandomProblems.trainingStep(12, 20));
        OrderDraft draft = draft(problem, 0);
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (!problem.residentNode(n)) {
                assertThat(draft.position(n)).isBetween(draft.low(n), draft.high(n));
            }
        }
        RematProblem irregular = IrregularGraphs.of(40, 1);
        OrderDraft other = draft(irregular, 0);
        for (int n = 0; n < irregular.nodeCount(); n++) {
            assertThat(valid(irregular, n, other.low(n))).isTrue();
            assertThat(valid(irregular, n, other.high(n))).isTrue();
            assertThat(other.low(n) > 0 && valid(irregular, n, other.low(n) - 1))
                    .isFalse();
            assertThat(other.high(n) < irregular.nodeCount() - 1 && valid(irregular, n, other.high(n) + 1))
                    .isFalse();
        }
    }

    private static boolean valid(RematProblem problem, int node, int to) {
        int[] others =
                IntStream.range(0, problem.nodeCount()).filter(n -> n != node).toArray();
        int[] steps = new int[problem.nodeCount()];
        System.arraycopy(others, 0, steps, 0, to);
        steps[to] = node;
        System.arraycopy(others, to, steps, to + 1, others.length - to);
        return SequenceEvaluator.evaluate(problem, new OperatorSequence("moved", steps, List.of()))
                .valid();
    }
}
