package dev.remat.compiler.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/** The search on strategies that are told what to answer, whose measure differs from their peak as told. */
class BudgetSearchTest {
    private static final Planner SINGLE = new Sqrt();
    private static final SearchListener LATE = new SearchListener() {
        @Override
        public void trying(String what) {}

        @Override
        public boolean expired() {
            return true;
        }
    };

    private final List<Long> asked = new ArrayList<>();
    private final List<Effort> efforts = new ArrayList<>();
    private final List<String> measured = new ArrayList<>();
    private int steps;

    /** A problem of so many nodes of which only the number matters. */
    private final class Told implements Subject<MeasuredPlan> {
        private final RematProblem problem;
        private final Map<String, Function<PlannerOptions, SequenceEvaluation>> answers = new LinkedHashMap<>();
        private final ToLongFunction<Proposal> bytes;
        private Optional<Told> other = Optional.empty();

        Told(int nodes, ToLongFunction<Proposal> bytes) {
            this.problem = Chains.equal(nodes / 2);
            this.bytes = bytes;
            answer("keep-all", options -> evaluation(1000, 0));
        }

        Told answer(String strategy, Function<PlannerOptions, SequenceEvaluation> answer) {
            answers.put(strategy, answer);
            return this;
        }

        Told orWhereNoneFits(Told subject) {
            other = Optional.of(subject);
            return this;
        }

        @Override
        public Optional<Subject<MeasuredPlan>> whereNoneFits(long budgetBytes) {
            asked.add(budgetBytes);
            return other.map(subject -> subject);
        }

        @Override
        public RematProblem problem() {
            return problem;
        }

        @Override
        public MemoryFloor floor() {
            return new MemoryFloor(10, "something");
        }

        @Override
        public MeasuredPlan measure(Proposal proposal) {
            measured.add(proposal.sequence().strategy());
            return new MeasuredPlan(proposal, bytes.applyAsLong(proposal));
        }

        @Override
        public Proposal propose(Planner planner, PlannerOptions options) {
            SequenceEvaluation evaluation = answers.getOrDefault(planner.name(), any -> evaluation(2000, 2000))
                    .apply(options);
            if (planner.name().equals(SINGLE.name())) {
                asked.add(options.budgetBytes().orElse(-1));
                efforts.add(options.effort());
            }
            return new Proposal(new OperatorSequence(planner.name(), new int[] {steps++}, List.of()), evaluation);
        }
    }

    private static SequenceEvaluation evaluation(long peak, long cost) {
        return new SequenceEvaluation(peak, 0, new long[1], cost, 1, 0, List.of());
    }

    /** Uses up all that it is given, down to {@code least}, and pays for what it is not given. */
    private Told greedy(int nodes, long least, double measureOverPeak) {
        return greedy(
                nodes,
                least,
                proposal -> Math.round(measureOverPeak * proposal.evaluation().peakBytes()));
    }

    private Told greedy(int nodes, long least, ToLongFunction<Proposal> bytes) {
        return new Told(nodes, bytes).answer(SINGLE.name(), options -> {
            long given = options.budgetBytes().orElse(least);
            return evaluation(Math.max(least, given), 100 - given);
        });
    }

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

    @Test
    void nothingIsMeasuredTwice() {
        BudgetSearch<MeasuredPlan> search = new BudgetSearch<>(greedy(2, 20, 1), Effort.QUICK, SearchListener.NONE);
        assertThat(search.keepAll()).isSameAs(search.keepAll());
        assertThat(search.smallest(SINGLE)).isSameAs(search.smallest(SINGLE));
        assertThat(search.measure(search.keepAll().proposal())).isSameAs(search.keepAll());
        assertThat(measured).containsExactly("keep-all", SINGLE.name());
    }

    /** {@code auto} has to be asked for less than the budget of 100, and costs 50 then. */
    private Told autoTightened(int nodes, Map<String, Long> measures) {
        return new Told(nodes, proposal -> {
                    String strategy = proposal.sequence().strategy();
                    long peak = proposal.evaluation().peakBytes();
                    return measures.getOrDefault(strategy, strategy.equals("auto") ? peak + 10 : peak);
                })
                .answer("auto", options -> evaluation(options.budgetBytes().orElse(50), 50));
    }

    private String chosen(Told subject) {
        measured.clear();
        return new BudgetSearch<>(subject, Effort.QUICK, SearchListener.NONE)
                .run(Optional.empty(), Optional.of(new Budget.Bytes(100)))
                .plan()
                .sequence()
                .strategy();
    }

    @Test
    void aCheaperSingleThatFitsUndercutsAuto() {
        assertThat(chosen(autoTightened(2, Map.of()).answer("sqrt", any -> evaluation(95, 49))))
                .isEqualTo("sqrt");
        assertThat(chosen(autoTightened(2, Map.of("sqrt", 101L)).answer("sqrt", any -> evaluation(95, 49))))
                .isEqualTo("auto");
    }

    @Test
    void aSingleThatCostsAsMuchOrWhosePeakIsTooLargeIsNotEvenMeasured() {
        assertThat(chosen(autoTightened(2, Map.of())
                        .answer("sqrt", any -> evaluation(10, 50))
                        .answer("memory", any -> evaluation(101, 1))))
                .isEqualTo("auto");
        assertThat(measured).containsExactly("keep-all", "auto", "auto");
    }

    @Test
    void theCheapestSingleThatFitsIsTakenWhereverItStandsAndNoDearerOneIsMeasured() {
        assertThat(chosen(autoTightened(2, Map.of("revolve", 200L))
                        .answer("sqrt", any -> evaluation(80, 45))
                        .answer("memory", any -> evaluation(85, 30))
                        .answer("revolve", any -> evaluation(95, 20))))
                .isEqualTo("memory");
        assertThat(measured).endsWith("revolve", "memory").doesNotContain("sqrt");
    }

    @Test
    void autoIsLeftAsItIsInLargeProblemsAndWhereItWasNotTightened() {
        assertThat(chosen(autoTightened(5_002, Map.of()).answer("sqrt", any -> evaluation(95, 49))))
                .isEqualTo("auto");
        assertThat(chosen(autoTightened(2, Map.of("auto", 100L)).answer("sqrt", any -> evaluation(95, 49))))
                .isEqualTo("auto");
    }

    /** Auto takes 10 more than its peak; local search asked for all of 100 finds nothing, asked for less something. */
    private String chosenInFull(int nodes, Map<String, Long> measures) {
        Told subject = autoTightened(nodes, measures).answer("anneal", options -> {
            asked.add(options.budgetBytes().orElse(-1));
            return options.budgetBytes().orElse(100) < 100 ? evaluation(80, 40) : evaluation(2000, 2000);
        });
        asked.clear();
        return new BudgetSearch<>(subject, Effort.FULL, SearchListener.NONE)
                .run(Optional.empty(), Optional.of(new Budget.Bytes(100)))
                .plan()
                .sequence()
                .strategy();
    }

    @Test
    void localSearchGoesOnFromALargePlanThatWasTightened() {
        assertThat(chosenInFull(5_002, Map.of())).isEqualTo("anneal");
        assertThat(asked).containsExactly(90L);
        assertThat(chosenInFull(400, Map.of())).isEqualTo("auto");
        assertThat(chosenInFull(5_002, Map.of("auto", 100L))).isEqualTo("auto");
        assertThat(asked).isEmpty();
    }

    /** Whose gaps are too large is asked for less once more, and then the plan stays as it is. */
    @Test
    void localSearchThatFindsNothingThatFitsLeavesThePlan() {
        assertThat(chosenInFull(5_002, Map.of("anneal", 105L))).isEqualTo("auto");
        assertThat(asked).containsExactly(90L, 85L);
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
