package dev.remat.compiler.plan.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.TransferChain;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is pinned to be offloaded is, by every strategy, and the evaluator refuses a sequence in which it is not. */
class OffloadPinsTest {
    /** In the chain a b c d dd dc db da of {@link TransferChain}. */
    private static final int A = 0;

    private static final int B = 1;
    private static final int D = 3;

    private static RematProblem pinned(int... nodes) {
        RematProblem problem = TransferChain.PROBLEM;
        List<Pin> pins = new ArrayList<>(Collections.nCopies(problem.nodeCount(), Pin.NONE));
        for (int node : nodes) {
            pins.set(node, Pin.OFFLOAD);
        }
        return problem.withPins(pins);
    }

    static List<String> strategies() {
        return Strategies.names().stream().map(name -> name.replace("=K", "=2")).toList();
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void everyStrategyMovesThem(String name) {
        RematProblem problem = pinned(A, B);
        PlannerOptions quick = PlannerOptions.none().with(Effort.QUICK);
        for (OptionalLong budget : List.of(OptionalLong.empty(), OptionalLong.of(500), OptionalLong.of(400))) {
            OperatorSequence sequence = OnTiers.plan(
                    Strategies.named(name), problem, budget.isEmpty() ? quick : quick.within(budget.getAsLong()));
            assertThat(SequenceEvaluator.evaluate(problem, sequence).violations())
                    .isEmpty();
            assertThat(fetched(sequence)).contains(A, B);
        }
    }

    @Test
    void aSequenceThatKeepsThemIsInvalid() {
        RematProblem problem = pinned(A);
        assertThat(violations(problem, "a b c d dd dc db da"))
                .containsExactly("step 7: 'da' reads 'a', which is pinned to be offloaded, before it has been fetched");
        assertThat(violations(problem, "a b >a c d dd dc db <a da")).isEmpty();
        assertThat(violations(pinned(B), "a b >a c d dd dc db <a da"))
                .containsExactly("step 7: 'db' reads 'b', which is pinned to be offloaded, before it has been fetched");
    }

    @Test
    void whatIsPinnedRunsOnce() {
        assertThat(violations(pinned(A), "a b >a c d dd dc db a da"))
                .contains("'a' is pinned to be kept and runs 2 times");
    }

    /** The backward begins with d right after it was made: nothing could use its memory. */
    @Test
    void whatIsReadAgainAtOnceStays() {
        assertThat(violations(pinned(D), "a b c d dd dc db da")).isEmpty();
    }

    private static List<String> violations(RematProblem problem, String steps) {
        return SequenceEvaluator.evaluate(problem, TransferChain.sequence(problem, steps))
                .violations();
    }

    private static List<Integer> fetched(OperatorSequence sequence) {
        List<Integer> values = new ArrayList<>();
        for (int t = 0; t < sequence.length(); t++) {
            if (!sequence.runs(t) && sequence.step(t) instanceof SequenceStep.Fetch fetch) {
                values.add(fetch.value());
            }
        }
        return values;
    }
}
