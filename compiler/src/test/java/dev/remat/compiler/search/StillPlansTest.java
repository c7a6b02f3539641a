package dev.remat.compiler.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.Alignment;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Plans that move nothing, beside a problem whose bytes are reckoned as if everything were moved. */
@Tag("slow")
class StillPlansTest {
    /** So slow that nothing is worth moving. */
    private static final List<Tier> TAPE = List.of(new Tier("tape", 1L << 40, 1, 1, 1_000_000_000));

    private static final int PAGE = 32;

    /**
     * A step whose plans take what they take where nothing is moved.
     *
     * @param exact without tiers
     * @param problem the same in whole pages, on a tier
     */
    private record Paged(RematProblem exact, RematProblem problem, Optional<RematProblem> still)
            implements Subject<MeasuredPlan> {
        static Paged of(RematProblem exact, boolean still) {
            List<ProblemNode> nodes = new ArrayList<>();
            for (int n = 0; n < exact.nodeCount(); n++) {
                ProblemNode node = exact.node(n);
                nodes.add(node.withResults(node.results().stream()
                        .map(value -> new ProblemValue(
                                value.id(), Alignment.up(value.bytes(), PAGE), value.viewOf(), value.inPlaceOf()))
                        .toList()));
            }
            RematProblem paged = RematProblem.of(exact.name(), nodes, exact.outputs(), TAPE);
            return new Paged(exact, paged, Optional.of(exact).filter(any -> still));
        }

        @Override
        public MemoryFloor floor() {
            return new MemoryFloor(Floor.of(exact).bytes(), "a node");
        }

        @Override
        public MeasuredPlan measure(Proposal proposal) {
            return new MeasuredPlan(
                    proposal,
                    SequenceEvaluator.evaluate(exact, proposal.sequence()).peakBytes());
        }
    }

    private static BudgetSearch<MeasuredPlan> search(Subject<MeasuredPlan> subject) {
        return new BudgetSearch<>(subject, Effort.QUICK, SearchListener.NONE);
    }

    /** The twin, which knows nothing of them, is worse for some budgets, and finds nothing for others. */
    @Tag("slow")
    @Test
    void aPlanIsNeverWorseThanWhereNothingMayBeMoved() {
        int worse = 0;
        for (int seed = 0; seed < 8; seed++) {
            RematProblem exact = RandomProblems.trainingStep(seed, 4);
            long floor = Floor.of(exact).bytes();
            long all = SequenceEvaluator.evaluate(exact, new KeepAll().plan(exact, PlannerOptions.none()))
                    .peakBytes();
            for (long budget = floor; budget < all; budget += (all - floor) / 3 + 1) {
                MeasuredPlan alone = auto(new GraphSubject(exact), budget);
                MeasuredPlan both = auto(Paged.of(exact, true), budget);
                MeasuredPlan paged = auto(Paged.of(exact, false), budget);
                assertThat(isWorse(both, alone, budget))
                        .as("seed %d, budget %d", seed, budget)
                        .isFalse();
                worse += isWorse(paged, alone, budget) ? 1 : 0;
            }
        }
        assertThat(worse).isGreaterThan(2);
    }

    @Tag("slow")
    @Test
    void theSmallestPlanIsNoLargerThanWhereNothingMayBeMoved() {
        for (int seed = 0; seed < 4; seed++) {
            RematProblem exact = RandomProblems.trainingStep(seed, 4);
            assertThat(search(Paged.of(exact, true)).smallest(Strategies.auto()).bytes())
                    .isLessThanOrEqualTo(search(new GraphSubject(exact))
                            .smallest(Strategies.auto())
                            .bytes());
        }
    }

    /** A strategy that was named is what is asked. */
    @Test
    void otherStrategiesAreLeftAsTheyAre() {
        RematProblem exact = RandomProblems.trainingStep(1, 4);
        long budget = Floor.of(exact).bytes() * 5 / 4;
        MeasuredPlan asked =
                search(Paged.of(exact, true)).fit(new Sqrt(), budget).plan();
        MeasuredPlan paged =
                search(Paged.of(exact, false)).fit(new Sqrt(), budget).plan();
        assertThat(asked.sequence().sameSteps(paged.sequence())).isTrue();
    }

    private static MeasuredPlan auto(Subject<MeasuredPlan> subject, long budget) {
        return search(subject).fit(Strategies.auto(), budget).plan();
    }

    private static boolean isWorse(MeasuredPlan one, MeasuredPlan other, long budget) {
        boolean fits = one.bytes() <= budget;
        return other.bytes() <= budget
                && (!fits || one.evaluation().cost() > other.evaluation().cost());
    }
}
