package dev.remat.compiler.plan.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.RandomTransfers;
import dev.remat.compiler.plan.TransferChain;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PlaceTransfersTest {
    private static OperatorSequence offloaded(long budget) {
        return Offload.everything().plan(TransferChain.PROBLEM, PlannerOptions.withBudget(budget));
    }

    /** By hand: see TimelineEvaluatorTest for the times and bytes of these sequences. */
    @Test
    void movesNoMoreThanTheBudgetAsksForAndAsLateAsItMust() {
        assertThat(offloaded(500).sameSteps(TransferChain.sequence("a b c d dd dc db da")))
                .isTrue();
        assertThat(offloaded(400).sameSteps(TransferChain.sequence("a >a b !a c d dd dc <a db da")))
                .isTrue();
        assertThat(offloaded(300).sameSteps(TransferChain.sequence("a >a b >b !a c !b d dd dc <b db <a da")))
                .isTrue();
    }

    @Test
    void strategiesMoveWhatTheirNamesSay() {
        RematProblem chain = TransferChain.PROBLEM;
        PlannerOptions asked = PlannerOptions.withBudget(300);
        assertThat(Offload.activations().plan(chain, asked).sameSteps(offloaded(300)))
                .isTrue();
        assertThat(Offload.state().plan(chain, asked).movesValues()).isFalse();
        RematProblem below = TransferChain.WITH_PARAMETER_BELOW;
        assertThat(Offload.state()
                        .plan(below, PlannerOptions.withBudget(60))
                        .sameSteps(TransferChain.sequence(below, "<w x dx update >w")))
                .isTrue();
        assertThat(Offload.activations().plan(below, asked).strategy()).isEqualTo("offload-activations");
    }

    /** Some of the views may not run again, so that what they show has to stay. */
    @Test
    void strategiesMoveOnlyWhatCanBeMovedTogether() {
        int moving = 0;
        for (int seed = 0; seed < 300; seed++) {
            RematProblem problem = RandomTransfers.problem(seed, 3 + seed % 9);
            long most = SequenceEvaluator.evaluate(problem, OnTiers.plan(new KeepAll(), problem, PlannerOptions.none()))
                    .peakBytes();
            for (PlannerOptions options : List.of(PlannerOptions.none(), PlannerOptions.withBudget(most * 4 / 5))) {
                for (Offload strategy : List.of(Offload.everything(), Offload.activations(), Offload.state())) {
                    OperatorSequence sequence = strategy.plan(problem, options);
                    assertThat(SequenceEvaluator.evaluate(problem, sequence).violations())
                            .as("%s, seed %d", strategy.name(), seed)
                            .isEmpty();
                    moving += sequence.movesValues() ? 1 : 0;
                }
            }
        }
        assertThat(moving).isGreaterThan(600);
    }

    /** Labels by chance, on problems with views, in-place results, pins, updates and values that live below. */
    @Test
    void reckonsAsTheEvaluatorsDo() {
        int followed = 0;
        int moved = 0;
        int tight = 0;
        for (int seed = 0; seed < 3_000; seed++) {
            RematProblem problem = RandomTransfers.problem(seed, 3 + seed % 9);
            SplittableRandom random = new SplittableRandom(seed);
            StorageGaps gaps = StorageGaps.of(problem);
            LabelledRuns runs = new LabelledRuns(problem, gaps);
            long budget = problem.residentBytes() + 40 + random.nextInt(100);
            PlaceTransfers places = new PlaceTransfers(problem, runs, budget);
            int[] labels = gaps.keepAll();
            for (int change = 0; change < 6; change++) {
                int gap = random.nextInt(gaps.count());
                int kind = random.nextInt(StorageGaps.OFFLOAD + problem.tiers().size());
                labels[gap] = gaps.allows(gap, kind) ? StorageGaps.label(kind, random.nextBoolean()) : labels[gap];
            }
            if (!runs.follow(labels)) {
                continue;
            }
            places.place();
            OperatorSequence sequence = places.sequence("labels");
            SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, sequence);
            assertThat(evaluation.violations()).as("seed %d", seed).isEmpty();
            assertThat(evaluation.cost()).as("seed %d", seed).isEqualTo(places.makespan());
            if (places.excess() == 0) {
                assertThat(evaluation.peakBytes()).as("seed %d", seed).isLessThanOrEqualTo(budget);
                tight += evaluation.peakBytes() > budget - 10 ? 1 : 0;
            }
            followed++;
            moved += sequence.movesValues() ? 1 : 0;
        }
        assertThat(followed).isGreaterThan(2_000);
        assertThat(moved).isGreaterThan(1_500);
        assertThat(tight).isGreaterThan(20);
    }
}
