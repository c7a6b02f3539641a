package dev.remat.compiler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.SequenceEvaluation;
import dev.remat.ir.plan.OperatorSequence;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FitArenaTest {
    private static final PlannerOptions FULL = PlannerOptions.withBudget(100);
    private static final PlannerOptions BUDGET = FULL.with(Effort.QUICK);

    private final List<Long> asked = new ArrayList<>();
    private final List<Effort> efforts = new ArrayList<>();

    /**
     * A strategy that always uses up all that it is given, down to {@code least}, and pays for what it is not given.
     */
    private Proposal greedy(PlannerOptions options, long least) {
        long budget = options.budgetBytes().getAsLong();
        asked.add(budget);
        efforts.add(options.effort());
        return new Proposal(
                new OperatorSequence("greedy", new int[] {0}, List.of()),
                new SequenceEvaluation(Math.max(least, budget), 0, new long[0], 100 - budget, 0, 0, List.of()));
    }

    private FitArena.Outcome run(PlannerOptions options, long least, double arenaOverPeak) {
        return run(1, options, least, arenaOverPeak);
    }

    private FitArena.Outcome run(int nodes, PlannerOptions options, long least, double arenaOverPeak) {
        return FitArena.run(
                nodes,
                options,
                given -> greedy(given, least),
                proposal -> Math.round(arenaOverPeak * proposal.evaluation().peakBytes()));
    }

    @Test
    void anArenaThatFitsIsTakenAtOnce() {
        FitArena.Outcome outcome = run(BUDGET, 0, 1);
        assertThat(outcome.tighteningRounds()).isZero();
        assertThat(outcome.arenaBytes()).isEqualTo(100);
        assertThat(asked).containsExactly(100L);
    }

    @Test
    void anArenaThatExceedsTheBudgetIsTightenedByTheExcess() {
        FitArena.Outcome outcome = run(BUDGET, 0, 1.2);
        assertThat(asked).containsExactly(100L, 80L);
        assertThat(outcome.tighteningRounds()).isEqualTo(1);
        assertThat(outcome.arenaBytes()).isEqualTo(96);
    }

    @Test
    void itEndsWhereNothingFitsWhatIsAskedFor() {
        FitArena.Outcome outcome = run(BUDGET, 90, 1.2);
        assertThat(asked).containsExactly(100L, 80L);
        assertThat(outcome.arenaBytes()).isEqualTo(108);
    }

    @Test
    void itEndsAfterSomeRoundsThatGainNothing() {
        FitArena.Outcome outcome = FitArena.run(1, BUDGET, given -> greedy(given, 0), proposal -> 101);
        assertThat(outcome.tighteningRounds()).isEqualTo(4);
        assertThat(asked).containsExactly(100L, 99L, 98L, 97L, 96L);
    }

    @Test
    void itEndsWhenTimeIsUp() {
        run(
                BUDGET.telling(new SearchListener() {
                    @Override
                    public void trying(String what) {}

                    @Override
                    public boolean expired() {
                        return true;
                    }
                }),
                0,
                1.2);
        assertThat(asked).containsExactly(100L);
    }

    @Test
    void aFullSearchWhoseArenaDoesNotFitIsHeldAgainstQuickOnes() {
        run(400, FULL, 0, 1.2);
        assertThat(efforts).containsExactly(Effort.FULL, Effort.FULL, Effort.QUICK, Effort.QUICK);
        assertThat(asked).containsExactly(100L, 80L, 100L, 80L);
        efforts.clear();
        run(400, FULL, 0, 1);
        assertThat(efforts).containsExactly(Effort.FULL);
    }

    @Test
    void aLargeProblemIsSearchedInFullOnlyOnce() {
        FitArena.Outcome outcome = run(401, FULL, 0, 1.2);
        assertThat(efforts).containsExactly(Effort.FULL, Effort.QUICK, Effort.QUICK);
        assertThat(asked).containsExactly(100L, 100L, 80L);
        assertThat(outcome.arenaBytes()).isEqualTo(96);
        assertThat(outcome.tighteningRounds()).isEqualTo(1);
    }

    /** Of the two that fit the cheaper: asked for 90 in full, or for 100 quickly, each costs what is missing to 100. */
    @Test
    void theCheaperOfBothSearchesIsTaken() {
        FitArena.Outcome outcome = FitArena.run(
                1,
                FULL,
                given -> greedy(given, 0),
                proposal -> proposal.evaluation().peakBytes() + (efforts.getLast() == Effort.FULL ? 10 : 0));
        assertThat(asked).containsExactly(100L, 90L, 100L);
        assertThat(outcome.proposal().evaluation().cost()).isZero();
        FitArena.Outcome other = FitArena.run(
                1,
                FULL,
                given -> greedy(given, 0),
                proposal -> proposal.evaluation().peakBytes() + (efforts.getLast() == Effort.FULL ? 10 : 20));
        assertThat(other.proposal().evaluation().cost()).isEqualTo(10);
    }

    /** What finds nothing in full is not asked once more. */
    @Test
    void aFullSearchThatMissesTheBudgetIsTheEnd() {
        assertThat(run(1, FULL, 110, 1).arenaBytes()).isEqualTo(110);
        assertThat(efforts).containsExactly(Effort.FULL);
    }

    @Test
    void itNeverAsksForLessThanNothing() {
        assertThat(run(BUDGET, 0, 3).tighteningRounds()).isZero();
    }
}
