package dev.remat.compiler.plan.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.RematProblem;
import org.junit.jupiter.api.Test;

class RevolveTest {
    /** C(n, k) from Pascal's triangle. */
    private static long pascal(int n, int k) {
        long[] row = new long[k + 1];
        row[0] = 1;
        for (int i = 1; i <= n; i++) {
            for (int j = k; j > 0; j--) {
                row[j] += row[j - 1];
            }
        }
        return row[k];
    }

    /** Forward steps t = r·l − C(c+r, c)·r/(c+1), and one at the end of the first sweep, which nothing needs. */
    @Test
    void takesTheLeastForwardStepsThatAreKnown() {
        for (int length = 1; length <= 70; length++) {
            RematProblem chain = Chains.taped(length);
            for (int checkpoints = 1; checkpoints <= 10; checkpoints++) {
                int r = 0;
                while (pascal(checkpoints + r, checkpoints) < length) {
                    r++;
                }
                long expected = (long) r * length - pascal(checkpoints + r, checkpoints) * r / (checkpoints + 1);
                SequenceEvaluation evaluation = SequenceEvaluator.evaluate(
                        chain, Chains.replayed(chain, 2, Revolve.schedule(length, checkpoints)));
                assertThat(evaluation.violations()).isEmpty();
                assertThat(evaluation.cost())
                        .as("l %d, c %d", length, checkpoints)
                        .isEqualTo(expected + 1);
                // All checkpoints but the chain's input are values; a step adds its own, one it reads, and gradients.
                assertThat(evaluation.peakBytes()).isLessThanOrEqualTo(checkpoints - 1 + 4);
            }
        }
    }

    /**
     * Ten segments and two checkpoints, the input being one: C(5, 2) = 10, so r = 3, and C(4, 2) = 6 segments lie in
     * front of the second checkpoint. Of these, C(3, 2) = 3 lie before the next one, and of these 1.
     */
    @Test
    void followsTheBinomialSplit() {
        RematProblem chain = Chains.taped(10);
        assertThat(Chains.steps(chain, Chains.replayed(chain, 2, Revolve.schedule(10, 2))))
                .endsWith(" a9 b9 a6 a7 p8 b8 a6 p7 b7 p6 b6 a0 a1 a2 a3 a4 p5 b5 a3 p4 b4 p3 b3 a0 a1 p2 b2 p1 b1 p0"
                        + " b0");
    }

    @Test
    void meetsABudgetThatOneRecomputationOfEachNodeDoesNot() {
        RematProblem chain = TrainingSteps.chain(300, 1);
        long sqrt = SequenceEvaluator.evaluate(chain, new Sqrt().plan(chain, PlannerOptions.none()))
                .peakBytes();
        PlannerOptions half = PlannerOptions.withBudget(sqrt * 2 / 3);
        Proposal revolve = Proposal.of(chain, new Revolve().plan(chain, half));
        assertThat(revolve.fits(half)).isTrue();
        assertThat(Proposal.of(chain, new Sqrt().plan(chain, half)).fits(half)).isFalse();
    }
}
