package dev.remat.compiler.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/** The search on strategies that are told what to answer. */
class BudgetSearchTest extends ToldSearches {
    private Fit<MeasuredPlan> fit(Told subject, Effort effort) {
        return new BudgetSearch<>(subject, effort, SearchListener.NONE).fit(SINGLE, 100);
    }

    @Test
    void aMeasureThatFitsIsTakenAtOnce() {
        Fit<MeasuredPlan> fit = fit(greedy(2, 20, 1), Effort.QUICK);
        assertThat(fit.tighteningRounds()).isZero();
        assertThat(fit.plan().bytes()).isEqualTo(100);
        assertThat(asked).containsExactly(100L);
    }

    @Test
    void aMeasureThatExceedsTheBudgetIsTightenedByTheExcess() {
        Fit<MeasuredPlan> fit = fit(greedy(2, 20, 1.2), Effort.QUICK);
        assertThat(asked).containsExactly(100L, 80L);
        assertThat(fit.tighteningRounds()).isEqualTo(1);
        assertThat(fit.plan().bytes()).isEqualTo(96);
    }

    /** Asked for 80 it needs 90, which is more: the end, but for the smallest plan. */
    @Test
    void itFallsBackToTheSmallestWhereNothingFitsWhatIsAskedFor() {
        Fit<MeasuredPlan> fit = fit(greedy(2, 90, 1.2), Effort.QUICK);
        assertThat(asked).containsExactly(100L, 80L, -1L);
        assertThat(fit.plan().bytes()).isEqualTo(108);
    }

    @Test
    void itEndsAfterSomeRoundsThatGainNothing() {
        Fit<MeasuredPlan> fit = fit(greedy(2, 20, proposal -> 101), Effort.QUICK);
        assertThat(fit.tighteningRounds()).isEqualTo(4);
        assertThat(asked).containsExactly(100L, 99L, 98L, 97L, 96L, -1L);
    }

    /** From 60 on it has one plan, of 105 bytes, which is no better for 95 than for 100. */
    @Test
    void whereTheSamePlanComesAgainLessIsAskedForThanItHolds() {
        Told coarse = new Told(2, proposal -> proposal.evaluation().peakBytes() + 45)
                .oneForEachPeak()
                .answer(
                        SINGLE.name(),
                        options -> evaluation(options.budgetBytes().orElse(20) < 60 ? 20 : 60, 1));
        Fit<MeasuredPlan> fit = fit(coarse, Effort.QUICK);
        assertThat(asked).containsExactly(100L, 95L, 55L);
        assertThat(fit.plan().bytes()).isEqualTo(65);
    }

    /** One byte is missing however little less it takes at its peak. */
    @Test
    void roundsThatBringLittleAskForMoreAndMoreLess() {
        Told stubborn = greedy(2, 20, proposal -> {
            long peak = proposal.evaluation().peakBytes();
            return peak > 99_600 ? 100_001 : peak;
        });
        Fit<MeasuredPlan> fit = new BudgetSearch<>(stubborn, Effort.QUICK, SearchListener.NONE).fit(SINGLE, 100_000);
        assertThat(asked).containsExactly(100_000L, 99_999L, 99_899L, 99_699L, 99_299L);
        assertThat(fit.plan().bytes()).isEqualTo(99_299);
    }

    @Test
    void itEndsWhenTimeIsUp() {
        new BudgetSearch<>(greedy(2, 20, 1.2), Effort.QUICK, LATE).fit(SINGLE, 100);
        assertThat(asked).containsExactly(100L);
    }

    @Test
    void aBudgetBelowTheFloorIsNotSearchedFor() {
        new BudgetSearch<>(greedy(2, 20, 1), Effort.FULL, SearchListener.NONE).fit(SINGLE, 9);
        assertThat(asked).containsExactly(-1L);
    }

    @Test
    void aFullSearchWhoseMeasureDoesNotFitIsHeldAgainstQuickOnes() {
        fit(greedy(400, 20, 1.2), Effort.FULL);
        assertThat(efforts).containsExactly(Effort.FULL, Effort.FULL, Effort.QUICK, Effort.QUICK);
        assertThat(asked).containsExactly(100L, 80L, 100L, 80L);
        efforts.clear();
        fit(greedy(400, 20, 1), Effort.FULL);
        assertThat(efforts).containsExactly(Effort.FULL);
    }

    @Test
    void aLargeProblemIsSearchedInFullOnlyOnce() {
        Fit<MeasuredPlan> fit = fit(greedy(402, 20, 1.2), Effort.FULL);
        assertThat(efforts).containsExactly(Effort.FULL, Effort.QUICK, Effort.QUICK);
        assertThat(asked).containsExactly(100L, 100L, 80L);
        assertThat(fit.plan().bytes()).isEqualTo(96);
        assertThat(fit.tighteningRounds()).isEqualTo(1);
    }

    /** Of the two that fit the cheaper: asked for 90 in full, or for 100 quickly, each costs what is missing to 100. */
    @Test
    void theCheaperOfBothSearchesIsTaken() {
        ToLongFunction<Proposal> quickFits =
                proposal -> proposal.evaluation().peakBytes() + (efforts.getLast() == Effort.FULL ? 10 : 0);
        Fit<MeasuredPlan> quick = fit(greedy(2, 20, quickFits), Effort.FULL);
        assertThat(asked).containsExactly(100L, 90L, 100L);
        assertThat(quick.plan().evaluation().cost()).isZero();
        ToLongFunction<Proposal> fullIsCloser =
                proposal -> proposal.evaluation().peakBytes() + (efforts.getLast() == Effort.FULL ? 10 : 20);
        assertThat(fit(greedy(2, 20, fullIsCloser), Effort.FULL)
                        .plan()
                        .evaluation()
                        .cost())
                .isEqualTo(10);
    }

    /** What finds nothing in full is not asked once more, but for the smallest plan. */
    @Test
    void aFullSearchThatMissesTheBudgetIsTheEnd() {
        assertThat(fit(greedy(2, 110, 1), Effort.FULL).plan().bytes()).isEqualTo(110);
        assertThat(efforts).containsExactly(Effort.FULL, Effort.QUICK);
    }

    @Test
    void itNeverAsksForLessThanNothing() {
        assertThat(fit(greedy(2, 20, 3), Effort.QUICK).tighteningRounds()).isZero();
        assertThat(asked).containsExactly(100L, -1L);
    }

    /** Nothing takes less than the floor, so that nobody has to look for it. */
    @Test
    void nothingSmallerIsLookedForWhereKeepingAllTakesTheFloor() {
        RematProblem problem = RematProblem.of(
                "one",
                List.of(ProblemNode.of("n", Role.FORWARD).withCost(1).withResult(ProblemValue.of("n", 5))),
                List.of(0));
        List<String> tried = new ArrayList<>();
        BudgetSearch<MeasuredPlan> search = new BudgetSearch<>(new GraphSubject(problem), Effort.FULL, tried::add);
        BudgetException refused = catchThrowableOfType(
                BudgetException.class, () -> search.run(Optional.empty(), Optional.of(new Budget.Bytes(4))));
        assertThat(refused.smallestFoundBytes()).isEqualTo(5);
        assertThat(refused.proven()).isTrue();
        assertThat(tried).containsExactly("planning by keep-all");
    }

    @Test
    void nothingIsMeasuredTwice() {
        BudgetSearch<MeasuredPlan> search = new BudgetSearch<>(greedy(2, 20, 1), Effort.QUICK, SearchListener.NONE);
        assertThat(search.keepAll()).isSameAs(search.keepAll());
        assertThat(search.smallest(SINGLE)).isSameAs(search.smallest(SINGLE));
        assertThat(search.measure(search.keepAll().proposal())).isSameAs(search.keepAll());
        assertThat(measured).containsExactly("keep-all", SINGLE.name());
    }

    @Test
    void keepingAllThatFitsIsTakenWithoutASearch() {
        assertThat(chosen(autoTightened(2, Map.of("keep-all", 100L)))).isEqualTo("keep-all");
        assertThat(measured).containsExactly("keep-all");
    }

    /** A share is one of what the first subject takes, whatever the other takes. */
    @Test
    void whereNoneFitsTheOtherSubjectIsSearchedForAsManyBytes() {
        Told other = greedy(2, 20, 1).answer("keep-all", options -> evaluation(3000, 0));
        Choice<MeasuredPlan> choice = new BudgetSearch<>(
                        greedy(2, 90, 1.25).orWhereNoneFits(other), Effort.QUICK, SearchListener.NONE)
                .run(Optional.of(SINGLE), Optional.of(new Budget.Share(0.08)));
        assertThat(asked).containsExactly(100L, 75L, -1L, 100L, 100L);
        assertThat(choice.plan().bytes()).isEqualTo(100);
        assertThat(choice.keepAll().bytes()).isEqualTo(3000);
    }

    @Test
    void whereAPlanFitsNoOtherSubjectIsAskedFor() {
        Told other = greedy(2, 20, 1);
        new BudgetSearch<>(greedy(2, 20, 1).orWhereNoneFits(other), Effort.QUICK, SearchListener.NONE)
                .run(Optional.of(SINGLE), Optional.of(new Budget.Bytes(100)));
        assertThat(asked).containsExactly(100L);
    }

    @Test
    void aShareIsOneOfKeepingAll() {
        Choice<MeasuredPlan> choice = new BudgetSearch<>(greedy(2, 20, 1), Effort.QUICK, SearchListener.NONE)
                .run(Optional.of(SINGLE), Optional.of(new Budget.Share(0.25)));
        assertThat(choice.budgetBytes()).hasValue(250);
        assertThat(choice.keepAll().bytes()).isEqualTo(1000);
    }

    @Test
    void whatDoesNotFitIsRefusedWithTheSmallestFound() {
        RematProblem chain = Chains.equal(8);
        GraphSubject subject = new GraphSubject(chain);
        long floor = subject.floor().bytes();
        BudgetException refused = catchThrowableOfType(
                BudgetException.class,
                () -> new BudgetSearch<>(subject, Effort.QUICK, SearchListener.NONE)
                        .run(Optional.of(Strategies.auto()), Optional.of(new Budget.Bytes(floor - 1))));
        assertThat(refused.proven()).isTrue();
        assertThat(refused.floor()).isEqualTo(subject.floor());
        assertThat(refused.smallestFoundBytes()).isGreaterThanOrEqualTo(floor);
        assertThat(refused.tensors()).isNotEmpty();
    }

    /** Among known sequences the cheapest that fits is taken, and keeping all where all of it fits. */
    @Test
    void amongKnownSequencesNothingIsSearched() {
        RematProblem chain = Chains.equal(8);
        BudgetSearch<MeasuredPlan> search =
                new BudgetSearch<>(new GraphSubject(chain), Effort.QUICK, SearchListener.NONE);
        OperatorSequence known = new Sqrt().plan(chain, PlannerOptions.none());
        long keepAll = search.keepAll().bytes();
        assertThat(search.among(List.of(known), keepAll - 1).plan().sequence()).isSameAs(known);
        assertThat(search.among(List.of(known), keepAll).plan()).isSameAs(search.keepAll());
    }
}
