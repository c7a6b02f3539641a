package dev.remat.compiler.plan.exact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.EverySequence;
import dev.remat.compiler.plan.IrregularGraphs;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.plan.local.Anneal;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PebbleSearchTest {
    private static final int MOST_REPEATS = 7;

    /** What was found, and the highest bound that was told. */
    private record Answer(Proposal found, boolean fits, long bound) {}

    private static Answer improve(RematProblem problem, OperatorSequence start, long budget) {
        ProvedBounds bounds = new ProvedBounds(SearchListener.NONE);
        PlannerOptions options = PlannerOptions.withBudget(budget).telling(bounds);
        Proposal found = Proposal.of(problem, PebbleSearch.improve(problem, start, options));
        return new Answer(found, found.fits(options), bounds.ofAnyOrder(problem).cost());
    }

    private static OperatorSequence keepAll(RematProblem problem) {
        return new KeepAll().plan(problem, PlannerOptions.none());
    }

    @Test
    void noSequenceOfASmallStepIsCheaper() {
        int recomputed = 0;
        int met = 0;
        int impossible = 0;
        for (int seed = 0; seed < 1_000; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 2 + seed % 2);
            if (PebbleGame.of(problem, 0).isEmpty()) {
                continue;
            }
            long all = Proposal.of(problem, keepAll(problem)).evaluation().peakBytes();
            for (long budget = Floor.of(problem).bytes(); budget < all; budget += 10) {
                Answer answer = improve(problem, keepAll(problem), budget);
                long cost = answer.fits ? answer.found.evaluation().cost() : Long.MAX_VALUE;
                long limit = Math.min(cost, problem.baselineCost() + MOST_REPEATS);
                Optional<OperatorSequence> cheaper = EverySequence.cheaper(problem, budget, false, limit);
                assertThat(cheaper).as("seed %d, budget %d", seed, budget).isEmpty();
                if (answer.fits) {
                    assertThat(answer.bound).isEqualTo(cost);
                    recomputed += cost > problem.baselineCost() ? 1 : 0;
                    met++;
                } else {
                    impossible++;
                }
            }
        }
        assertThat(recomputed).isGreaterThan(70);
        assertThat(met).isGreaterThan(100);
        assertThat(impossible).isGreaterThan(10);
    }

    /** Nothing else finds less, and no bound says more. */
    @Test
    void standsBetweenPlansAndBounds() {
        int proven = 0;
        int better = 0;
        for (int seed = 1; seed <= 10; seed++) {
            RematProblem problem = IrregularGraphs.of(12, 21, seed);
            long all = Proposal.of(problem, keepAll(problem)).evaluation().peakBytes();
            for (int percent = 95; percent >= 55; percent -= 10) {
                long budget = all * percent / 100;
                Answer answer = improve(problem, keepAll(problem), budget);
                if (answer.fits && answer.found.evaluation().cost() == answer.bound) {
                    proven++;
                    long cost = answer.bound;
                    PlannerOptions options = PlannerOptions.withBudget(budget).with(Effort.QUICK);
                    for (Planner planner : List.of(new PeakPriority(), new Anneal())) {
                        Proposal other = Proposal.of(problem, planner.plan(problem, options));
                        assertThat(other.fits(options) ? other.evaluation().cost() : cost)
                                .isGreaterThanOrEqualTo(cost);
                        better += !other.fits(options) || other.evaluation().cost() > cost ? 1 : 0;
                    }
                    ProvedBounds bounds = new ProvedBounds(SearchListener.NONE);
                    LowerBounds.of(problem, options.telling(bounds));
                    assertThat(bounds.ofAnyOrder(problem).cost()).isLessThanOrEqualTo(cost);
                }
            }
        }
        assertThat(proven).isGreaterThan(15);
        assertThat(better).isGreaterThan(5);
    }

    @Test
    void knowsThatAStartIsTheBestAndKeepsIt() {
        RematProblem problem = IrregularGraphs.of(12, 21, 3);
        long all = Proposal.of(problem, keepAll(problem)).evaluation().peakBytes();
        OperatorSequence best =
                improve(problem, keepAll(problem), all * 6 / 10).found.sequence();
        Answer again = improve(problem, best, all * 6 / 10);
        assertThat(again.found.sequence()).isSameAs(best);
        assertThat(again.bound).isEqualTo(again.found.evaluation().cost());
    }

    /** Ways to make room can be more than anybody can look at. */
    @Test
    void endsWhereThereAreManyWaysToMakeRoom() {
        int values = 40;
        int room = 20;
        List<ProblemNode> nodes = new ArrayList<>();
        for (int i = 0; i < values; i++) {
            nodes.add(node("n" + i));
        }
        int[] all = IntStream.range(0, values).toArray();
        nodes.add(node("all").withInputs(all));
        nodes.add(node("between").withInputs(values).withWorkspace(room));
        nodes.add(node("last").withInputs(IntStream.range(0, values + 2).toArray()));
        RematProblem problem = RematProblem.of("wide", nodes, List.of(values + 2));
        int[] again = IntStream.concat(
                        IntStream.range(0, values + 2),
                        IntStream.concat(IntStream.range(0, room), IntStream.of(values + 2)))
                .toArray();
        OperatorSequence start = new OperatorSequence("again", again, List.of());
        Proposal best = Proposal.of(problem, start);
        Answer answer = improve(problem, start, best.evaluation().peakBytes());
        assertThat(best.evaluation().recomputedCost()).isEqualTo(room);
        assertThat(answer.found.sequence()).isSameAs(start);
        assertThat(answer.bound).isLessThanOrEqualTo(best.evaluation().cost());
    }

    private static ProblemNode node(String name) {
        return ProblemNode.of(name, Role.FORWARD).withCost(1).withResult(ProblemValue.of(name, 1));
    }

    /** On a graph that is too large for that, what is told when the search ends is a bound and no more. */
    @Test
    void tellsABoundWhereItDoesNotFinish() {
        RematProblem problem = IrregularGraphs.of(60, 150, 1);
        long all = Proposal.of(problem, keepAll(problem)).evaluation().peakBytes();
        PlannerOptions options = PlannerOptions.withBudget(all / 2);
        OperatorSequence start = new PeakPriority().plan(problem, options);
        Answer answer = improve(problem, start, all / 2);
        assertThat(answer.found.sequence()).isSameAs(start);
        assertThat(answer.bound).isLessThan(answer.found.evaluation().cost());
        RematProblem larger = IrregularGraphs.of(100, 2);
        assertThat(PebbleGame.of(larger, all)).isEmpty();
        assertThat(improve(larger, keepAll(larger), all).bound).isEqualTo(larger.baselineCost());
    }
}
