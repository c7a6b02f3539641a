package dev.remat.compiler.plan.bound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.EverySequence;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.PublishedGraphs;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LowerBoundsTest {
    private static final int MOST_REPEATS = 7;

    /** Told bounds, so that those of every scope are checked. */
    private static List<LowerBound> bounds(RematProblem problem, long budget) {
        List<LowerBound> told = new ArrayList<>();
        LowerBound highest =
                LowerBounds.of(problem, PlannerOptions.withBudget(budget).telling(new SearchListener() {
                    @Override
                    public void trying(String what) {}

                    @Override
                    public void proved(LowerBound bound) {
                        told.add(bound);
                    }
                }));
        assertThat(told).contains(highest);
        return told;
    }

    /** The twin, a bound one higher, is often caught: a sequence that costs no more than the true bound refutes it. */
    @Tag("slow")
    @Test
    void noSequenceOfASmallStepIsCheaper() {
        int above = 0;
        int met = 0;
        for (int seed = 0; seed < 200; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 2 + seed % 2);
            long floor = Floor.of(problem).bytes();
            long all = peak(problem);
            for (long budget = floor; budget <= all; budget += 10) {
                for (LowerBound bound : bounds(problem, budget)) {
                    boolean given = bound.scope().givenOrder();
                    long limit = Math.min(bound.cost(), problem.baselineCost() + MOST_REPEATS);
                    assertThat(EverySequence.cheaper(problem, budget, given, limit))
                            .as("seed %d, budget %d, %s", seed, budget, bound)
                            .isEmpty();
                    above += limit > problem.baselineCost() ? 1 : 0;
                    boolean refuted = limit == bound.cost()
                            && limit > problem.baselineCost()
                            && EverySequence.cheaper(problem, budget, given, limit + 1)
                                    .isPresent();
                    met += refuted ? 1 : 0;
                }
            }
        }
        assertThat(above).isGreaterThan(100);
        assertThat(met).isGreaterThan(above / 3);
    }

    /**
     * Percent of overhead that constraint programming elsewhere proved and found for the given order, which is the only
     * one of these graphs; for unet within 40 % it proved no more than for 50 %.
     */
    @ParameterizedTest
    @CsvSource({
        "vgg19,0.90,QUICK,0.104,0.104", "vgg19,0.80,FULL,2.756,2.756", "vgg19,0.772,FULL,2.783,2.783",
        "unet,0.90,QUICK,1.129,1.129", "unet,0.80,QUICK,1.984,1.984", "unet,0.70,QUICK,2.967,2.967",
        "unet,0.60,QUICK,4.451,4.451", "unet,0.50,FULL,6.967,6.967", "unet,0.40,QUICK,6.967,13.111",
        "mobilenet,0.80,QUICK,0.370,0.370", "mobilenet,0.60,QUICK,0.262,1.067", "mobilenet,0.50,QUICK,0.494,1.635",
        "mobilenet,0.40,QUICK,0.944,2.468", "mobilenet,0.30,QUICK,1.561,4.285"
    })
    void meetsPublishedOptima(String name, double budget, Effort effort, double proved, double found)
            throws IOException {
        RematProblem problem = PublishedGraphs.named(name);
        PlannerOptions options =
                PlannerOptions.withBudget((long) (budget * peak(problem))).with(effort);
        LowerBound bound = LowerBounds.of(problem, options);
        assertThat(bound.scope()).isEqualTo(BoundScope.ANY_ORDER);
        double percent = 100.0 * (bound.cost() - problem.baselineCost()) / problem.baselineCost();
        assertThat(percent).isBetween(proved - 0.0005, found + 0.0005);
    }

    @Test
    void endsWhereABoundIsEnough() throws IOException {
        RematProblem problem = PublishedGraphs.named("vgg19");
        PlannerOptions options = PlannerOptions.withBudget((long) (0.8 * peak(problem)));
        long sharp = LowerBounds.of(problem, options).cost();
        assertThat(LowerBounds.of(problem, options, problem.baselineCost() + 1).cost())
                .isGreaterThan(problem.baselineCost())
                .isLessThan(sharp);
    }

    /** Values of one size and cost fill the memory at the peak; each that finds no room is made again, in any order. */
    @Test
    void countsWhatMustBeMadeAgain() {
        RematProblem problem = TrainingSteps.chain(12, 100);
        long all = peak(problem);
        assertThat(LowerBounds.of(problem, PlannerOptions.withBudget(all)))
                .isEqualTo(new LowerBound(problem.baselineCost(), BoundScope.ANY_ORDER));
        for (int dropped = 1; dropped < 4; dropped++) {
            assertThat(LowerBounds.of(problem, PlannerOptions.withBudget(all - 100L * dropped)))
                    .isEqualTo(new LowerBound(problem.baselineCost() + dropped, BoundScope.ANY_ORDER));
        }
    }

    @Test
    void aBudgetBarelyMissedCostsAWholeRecomputation() {
        RematProblem problem = TrainingSteps.chain(12, 100);
        assertThat(LowerBounds.of(problem, PlannerOptions.withBudget(peak(problem) - 1))
                        .cost())
                .isEqualTo(problem.baselineCost() + 1);
    }

    @Test
    void withoutABudgetOnlyPinnedRecomputationsAreCertain() {
        for (Pin pin : Pin.values()) {
            RematProblem problem = RematProblem.of(
                    "pins",
                    List.of(
                            ProblemNode.of("a", Role.FORWARD)
                                    .withCost(5)
                                    .withResult(ProblemValue.of("a", 8))
                                    .withPin(pin),
                            ProblemNode.of("b", Role.FORWARD)
                                    .withCost(2)
                                    .withInputs(0)
                                    .withResult(ProblemValue.of("b", 8)),
                            ProblemNode.of("c", Role.BACKWARD)
                                    .withCost(1)
                                    .withInputs(0, 1)
                                    .withResult(ProblemValue.of("c", 8))),
                    List.of(2));
            assertThat(LowerBounds.of(problem, PlannerOptions.none()))
                    .isEqualTo(new LowerBound(pin == Pin.RECOMPUTE ? 13 : 8, BoundScope.ANY_ORDER));
        }
    }

    private static long peak(RematProblem problem) {
        OperatorSequence all = new KeepAll().plan(problem, PlannerOptions.none());
        return SequenceEvaluator.evaluate(problem, all).peakBytes();
    }
}
