package dev.remat.compiler.plan.portfolio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.plan.BruteForce;
import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.IrregularGraphs;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.PublishedGraphs;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.order.Reorder;
import dev.remat.compiler.plan.segment.Segments;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrategiesTest {
    @Test
    void areFoundByName() {
        for (Planner planner : Strategies.all()) {
            assertThat(Strategies.named(planner.name())).isSameAs(planner);
        }
        assertThat(Strategies.named("auto")).isSameAs(Strategies.auto());
        assertThat(Strategies.named("segments=8")).isEqualTo(new Segments(8));
        assertThatThrownBy(() -> Strategies.named("segments=0")).hasMessageContaining("unknown strategy 'segments=0'");
        assertThatThrownBy(() -> Strategies.named("sqr")).hasMessageContaining("did you mean 'sqrt'?");
        assertThatThrownBy(() -> Strategies.named("zzzzz"))
                .hasMessageContaining("strategies: keep-all")
                .hasMessageNotContaining("mean");
    }

    @ParameterizedTest
    @CsvSource({
        "speed, min-cut",
        "memory, sqrt",
        "collection, recursive",
        "lower-sets, hierarchy",
        "chain-dp, hierarchy",
        "shards=3, offload"
    })
    void thatAreGoneNameTheNearest(String gone, String nearest) {
        assertThatThrownBy(() -> Strategies.named(gone))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no strategy '" + gone + "' any more; the nearest is '" + nearest
                        + "', and 'auto' finds as much without it");
        assertThat(Strategies.names()).contains(nearest).doesNotContain(gone);
        assertThat(Strategies.named(nearest).name()).isEqualTo(nearest);
    }

    @Test
    void tellWhichOneIsTried() {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        Proposal.of(
                Chains.equal(6),
                List.of(new KeepAll(), new Sqrt()),
                PlannerOptions.none().telling(told::add));
        assertThat(told).containsExactly("planning by keep-all", "planning by sqrt");
        told.clear();
        Strategies.auto().plan(Chains.equal(6), PlannerOptions.withBudget(5).telling(told::add));
        assertThat(told)
                .contains("planning by auto: sqrt", "planning by auto: min-cut", "planning by auto: another order");
    }

    /** Views, in-place results, statistics, updates, outputs and pins in all combinations that come up. */
    @Tag("slow")
    @Test
    void answerRandomProblemsWithValidSequencesThatClaimTheTruth() {
        List<Planner> planners = new ArrayList<>(Strategies.all());
        planners.add(new Segments(3));
        int recomputed = 0;
        int pinned = 0;
        for (long seed = 1000; seed < 1013; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 4 + (int) (seed % 25));
            for (Planner planner : planners) {
                OperatorSequence sequence = planner.plan(problem, PlannerOptions.none());
                SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, sequence);
                assertThat(evaluation.violations())
                        .as("%s, seed %d", planner.name(), seed)
                        .isEmpty();
                assertThat(evaluation.peakBytes()).isEqualTo(BruteForce.peak(problem, sequence));
                assertThat(evaluation.peakBytes())
                        .isGreaterThanOrEqualTo(Floor.of(problem).bytes());
                recomputed += evaluation.recomputations();
                if (seed % 8 == 0) {
                    assertThat(sequence.sameSteps(planner.plan(problem, PlannerOptions.none())))
                            .isTrue();
                }
            }
            for (int n = 0; n < problem.nodeCount(); n++) {
                pinned += problem.pin(n) == Pin.NONE ? 0 : 1;
            }
        }
        assertThat(recomputed).isGreaterThan(250);
        assertThat(pinned).isGreaterThan(10);
    }

    @Tag("slow")
    @Test
    void meetTheBudgetOfTheirOwnSmallestPlan() {
        for (long seed = 2000; seed < 2006; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 6 + (int) (seed % 25));
            for (Planner planner : Strategies.all()) {
                Proposal smallest = Proposal.of(problem, planner.plan(problem, PlannerOptions.none()));
                PlannerOptions exactly = PlannerOptions.withBudget(
                                smallest.evaluation().peakBytes())
                        .with(Effort.QUICK);
                Proposal again = Proposal.of(problem, planner.plan(problem, exactly));
                assertThat(again.fits(exactly))
                        .as("%s, seed %d", planner.name(), seed)
                        .isTrue();
            }
        }
    }

    @Tag("slow")
    @Test
    void differFromEachOther() throws IOException {
        RematProblem problem = PublishedGraphs.named("unet");
        PlannerOptions tight = PlannerOptions.withBudget(12_575_676_825L);
        Map<String, String> seen = new LinkedHashMap<>();
        for (Planner planner : Strategies.all()) {
            OperatorSequence sequence = planner.plan(problem, tight);
            String other = seen.put(Chains.steps(problem, sequence), planner.name());
            assertThat(other)
                    .as("another with the sequence of %s", planner.name())
                    .isNull();
        }
    }

    @Tag("slow")
    @Test
    void autoIsNeverWorseThanASingleOne() {
        for (long seed = 3000; seed < 3003; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 25);
            long all = Proposal.of(problem, new KeepAll().plan(problem, PlannerOptions.none()))
                    .evaluation()
                    .peakBytes();
            long floor = Floor.of(problem).bytes();
            PlannerOptions options =
                    PlannerOptions.withBudget(floor + (all - floor) / 2).with(Effort.QUICK);
            Proposal auto = Proposal.of(problem, Strategies.auto().plan(problem, options));
            for (Proposal single : Proposal.of(problem, Strategies.all(), options)) {
                assertThat(Proposal.bestFirst(options).compare(auto, single))
                        .as("seed %d", seed)
                        .isLessThanOrEqualTo(0);
            }
        }
    }

    /** Where nodes may stand in many places, and order and recomputations are searched at once. */
    @Tag("slow")
    @Test
    void autoIsNeverWorseThanASingleOneOnIrregularGraphs() {
        RematProblem problem = IrregularGraphs.of(28, 84, 2);
        assertThat(Reorder.pays(problem)).isTrue();
        long all = Proposal.of(problem, new KeepAll().plan(problem, PlannerOptions.none()))
                .evaluation()
                .peakBytes();
        for (int percent : new int[] {80, 62}) {
            PlannerOptions options =
                    PlannerOptions.withBudget(all * percent / 100).with(Effort.QUICK);
            Proposal auto = Proposal.of(problem, Strategies.auto().plan(problem, options));
            assertThat(auto.fits(options)).isTrue();
            assertThat(auto.evaluation().recomputations() > 0).isEqualTo(percent < 70);
            for (String name : Strategies.names()) {
                Planner planner = name.equals("auto") ? new KeepAll() : Strategies.named(name.replace("=K", "=3"));
                Proposal single = Proposal.of(problem, planner.plan(problem, options));
                // Auto ends where nothing is recomputed, whatever that leaves of the budget.
                assertThat(auto.evaluation().cost())
                        .as("%s at %d %%", name, percent)
                        .isLessThanOrEqualTo(
                                single.fits(options) ? single.evaluation().cost() : Long.MAX_VALUE);
            }
        }
    }

    @Test
    void keepAllRecomputesNothingWithoutPins() {
        RematProblem problem = TrainingSteps.resnet(1, 1, 1, 1, 1);
        OperatorSequence sequence = new KeepAll().plan(problem, PlannerOptions.none());
        assertThat(SequenceEvaluator.evaluate(problem, sequence).recomputations())
                .isZero();
    }
}
