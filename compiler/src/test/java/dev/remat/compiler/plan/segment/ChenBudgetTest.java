package dev.remat.compiler.plan.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ChenBudgetTest {
    private static Segmentation cut(RematProblem problem, long limit) {
        ForwardGraph graph = ForwardGraph.of(problem, Retention.required(problem));
        boolean[] all = new boolean[graph.size()];
        Arrays.fill(all, true);
        return ChenBudget.cut(graph, limit, all);
    }

    /** Sums 4 8 12 exceed 10 after the third value, and again after the sixth. */
    @Test
    void cutsAfterTheFirstNodeAboveTheLimit() {
        Segmentation segmentation = cut(Chains.ofSizes(4, 4, 4, 4, 4, 4, 4), 10);
        assertThat(segmentation.size()).isEqualTo(3);
        assertThat(segmentation.begin(1)).isEqualTo(3);
        assertThat(segmentation.begin(2)).isEqualTo(6);
        assertThat(cut(Chains.ofSizes(4, 4, 4, 4, 4, 4, 4), 28).size()).isEqualTo(1);
    }

    /** It cuts where the limit is passed, after a wide value; sqrt moves the cut to the narrow one beside it. */
    @Test
    void doesNotLookForNarrowCuts() {
        RematProblem problem = Chains.ofSizes(8, 8, 8, 1, 8, 8, 8);
        assertThat(cut(problem, 20).begin(1)).isEqualTo(3);
        ForwardGraph graph = ForwardGraph.of(problem, Retention.required(problem));
        assertThat(Segmentation.balanced(graph, 2, new boolean[graph.size()]).begin(1))
                .isEqualTo(4);
    }

    @Test
    void comesNearTwiceTheRootOnAChain() {
        RematProblem chain = TrainingSteps.chain(2500, 1);
        SequenceEvaluation smallest =
                SequenceEvaluator.evaluate(chain, new ChenBudget().plan(chain, PlannerOptions.none()));
        assertThat(smallest.peakBytes()).isLessThan(2 * 50 + 10);
        assertThat(smallest.recomputations()).isLessThan(2500);
    }
}
