package dev.remat.compiler.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

class StrategiesTest {
    @Test
    void areFoundByName() {
        for (Planner planner : Strategies.all()) {
            assertThat(Strategies.named(planner.name())).isSameAs(planner);
        }
        assertThat(Strategies.named("segments=8")).isEqualTo(new Segments(8));
        assertThatThrownBy(() -> Strategies.named("segments=0")).hasMessageContaining("unknown strategy 'segments=0'");
        assertThatThrownBy(() -> Strategies.named("sqr")).hasMessageContaining("did you mean 'sqrt'?");
        assertThatThrownBy(() -> Strategies.named("zzzzz"))
                .hasMessageContaining("strategies: keep-all").hasMessageNotContaining("mean");
    }

    /** Views, in-place results, statistics, updates, outputs and pins in all combinations that come up. */
    @Test
    void answerRandomProblemsWithValidSequencesThatClaimTheTruth() {
        int recomputed = 0;
        int pinned = 0;
        for (long seed = 1000; seed < 1300; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 4 + (int) (seed % 25));
            for (Planner planner : List.of(new KeepAll(), new Sqrt(), new Segments(3))) {
                OperatorSequence sequence = planner.plan(problem, PlannerOptions.none());
                SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, sequence);
                assertThat(evaluation.violations()).as("%s, seed %d", planner.name(), seed).isEmpty();
                assertThat(evaluation.peakBytes()).isEqualTo(BruteForce.peak(problem, sequence));
                assertThat(evaluation.peakBytes()).isGreaterThanOrEqualTo(Floor.of(problem).bytes());
                recomputed += evaluation.repeats();
                assertThat(sequence.sameSteps(planner.plan(problem, PlannerOptions.none()))).isTrue();
            }
            for (int n = 0; n < problem.nodeCount(); n++) {
                pinned += problem.pin(n) == Pin.NONE ? 0 : 1;
            }
        }
        assertThat(recomputed).isGreaterThan(1000);
        assertThat(pinned).isGreaterThan(300);
    }

    @Test
    void keepAllRepeatsNothingWithoutPins() {
        RematProblem problem = TrainingSteps.resnet(1, 1, 1, 1, 1);
        OperatorSequence sequence = new KeepAll().plan(problem, PlannerOptions.none());
        assertThat(SequenceEvaluator.evaluate(problem, sequence).repeats()).isZero();
    }
}
