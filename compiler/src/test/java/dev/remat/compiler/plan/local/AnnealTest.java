package dev.remat.compiler.plan.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.PublishedGraphs;
import dev.remat.compiler.plan.RandomProblems;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.plan.local.SequenceMoves.Focus;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class AnnealTest {
    private static Proposal plan(Planner planner, RematProblem problem, PlannerOptions options) {
        return Proposal.of(problem, planner.plan(problem, options));
    }

    /** A proven optimum, 6.967 % at half of the memory, which no setting of eviction by itself finds. */
    @Test
    void findsAnOptimumThatGreedyEvictionMisses() throws IOException {
        RematProblem problem = PublishedGraphs.named("unet");
        PlannerOptions half = PlannerOptions.withBudget(20_959_461_376L / 2);
        Proposal annealed = plan(new Anneal(), problem, half);
        assertThat(annealed.fits(half)).isTrue();
        assertThat(annealed.evaluation().overhead()).isBetween(0.06966, 0.0700);
        assertThat(plan(new PeakPriority(), problem, half).evaluation().overhead())
                .isGreaterThan(0.075);
    }

    @Test
    void searchesLongerForAtLeastAsMuch() throws IOException {
        RematProblem problem = PublishedGraphs.named("unet");
        PlannerOptions full = PlannerOptions.withBudget(20_959_461_376L / 10 * 4);
        OperatorSequence start = new PeakPriority().plan(problem, full);
        Proposal quick = Proposal.of(problem, Anneal.improve(problem, start, full.with(PlannerOptions.Effort.QUICK)));
        Proposal longer = Proposal.of(problem, Anneal.improve(problem, start, full));
        assertThat(quick.evaluation().cost())
                .isLessThan(Proposal.of(problem, start).evaluation().cost());
        assertThat(longer.evaluation().cost())
                .isLessThanOrEqualTo(quick.evaluation().cost());
    }

    @Test
    void endsWithTheBestItHasWhenTimeIsUp() throws IOException {
        RematProblem problem = PublishedGraphs.named("unet");
        PlannerOptions half = PlannerOptions.withBudget(20_959_461_376L / 2).with(PlannerOptions.Effort.QUICK);
        PlannerOptions late = half.telling(new SearchListener() {
            @Override
            public void trying(String what) {}

            @Override
            public boolean expired() {
                return true;
            }
        });
        OperatorSequence start = new PeakPriority().plan(problem, half);
        assertThat(Anneal.improve(problem, start, late)).isSameAs(start);
        assertThat(Anneal.improve(problem, start, half)).isNotSameAs(start);
    }

    /** Of problems whose forward nodes it runs in another order than given, all that are in turn keep theirs. */
    @Test
    void whatIsInTurnKeepsItsOrder() {
        int reordered = 0;
        for (int seed = 0; seed < 10; seed++) {
            RematProblem problem = RandomProblems.trainingStep(seed, 20);
            List<ProblemNode> nodes = IntStream.range(0, problem.nodeCount())
                    .mapToObj(problem::node)
                    .map(node -> node.role() == Role.FORWARD ? node.takingTurns() : node)
                    .toList();
            reordered += forwardIsInOrder(problem) ? 0 : 1;
            assertThat(forwardIsInOrder(RematProblem.of("in turn", nodes, problem.outputs())))
                    .as("seed %s", seed)
                    .isTrue();
        }
        assertThat(reordered).isPositive();
    }

    private static boolean forwardIsInOrder(RematProblem problem) {
        long floor = Floor.of(problem).bytes();
        long all =
                plan(new KeepAll(), problem, PlannerOptions.none()).evaluation().peakBytes();
        PlannerOptions options = PlannerOptions.withBudget((floor + all) / 2).with(PlannerOptions.Effort.QUICK);
        int[] first = plan(new Anneal(), problem, options)
                .sequence()
                .nodes()
                .filter(n -> problem.role(n) == Role.FORWARD)
                .distinct()
                .toArray();
        return Arrays.equals(first, IntStream.of(first).sorted().toArray());
    }

    @Test
    void isTheSameEveryTimeAndNeverWorseThanWhereItStarts() {
        RematProblem problem = RandomProblems.trainingStep(77, 20);
        long floor = Floor.of(problem).bytes();
        long all =
                plan(new KeepAll(), problem, PlannerOptions.none()).evaluation().peakBytes();
        PlannerOptions options = PlannerOptions.withBudget((floor + all) / 2).with(PlannerOptions.Effort.QUICK);
        Proposal annealed = plan(new Anneal(), problem, options);
        assertThat(annealed.sequence()
                        .sameSteps(plan(new Anneal(), problem, options).sequence()))
                .isTrue();
        assertThat(Proposal.bestFirst(options).compare(annealed, plan(new PeakPriority(), problem, options)))
                .isLessThanOrEqualTo(0);
    }

    @Test
    void staysWithinTheBudgetAtTheEndOfAWalkOverPlacesAlone() {
        SequenceSearch.Walk places = new SequenceSearch.Walk(1_000, 1, 0.1, 1, Focus.PLACES);
        assertThat(places.strict(899)).isFalse();
        assertThat(places.strict(900)).isTrue();
        assertThat(new SequenceSearch.Walk(1_000, 1, 0.1, 1, Focus.RECOMPUTATIONS).strict(999))
                .isFalse();
    }

    @Test
    void recomputesNothingWhereEverythingFits() {
        RematProblem problem = Chains.equal(10);
        assertThat(plan(new Anneal(), problem, PlannerOptions.withBudget(100))
                        .evaluation()
                        .recomputations())
                .isZero();
    }
}
