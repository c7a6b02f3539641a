package dev.remat.compiler.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The stages of a search by {@code auto}, which is told what to answer. */
class AskPortfolioTest extends ToldSearches {
    private static final SearchListener NONE = SearchListener.NONE;

    /** Once from the beginning, and then from its own sequence. */
    @Test
    void autoIsRepairedWhereItsMeasureExceedsTheBudget() {
        assertThat(chosen(autoTightened(2, Map.of()))).isEqualTo("auto");
        assertThat(autoAsked).containsExactly("from the beginning for 100", "onward for 90");
    }

    @Test
    void autoIsAskedAgainWhereRepairingFindsNothing() {
        Told subject = autoTightened(2, Map.of())
                .answer(
                        "auto",
                        options -> autoAsked.getLast().startsWith("onward")
                                ? evaluation(2000, 2000)
                                : evaluation(options.budgetBytes().getAsLong(), 50));
        assertThat(chosen(subject)).isEqualTo("auto");
        assertThat(autoAsked)
                .containsExactly("from the beginning for 100", "onward for 90", "from the beginning for 90");
    }

    @Test
    void aSingleStrategyIsThereBeforeAuto() {
        Told subject = autoTightened(2, Map.of("auto", 101L)).answer("peak-priority", any -> evaluation(95, 60));
        assertThat(chosen(subject)).isEqualTo("peak-priority");
        assertThat(measured).startsWith("keep-all", "peak-priority", "auto");
        assertThat(chosen(subject, Effort.FULL, LATE)).isEqualTo("peak-priority");
        assertThat(measured).containsExactly("keep-all", "peak-priority");
        assertThat(chosen(autoTightened(2, Map.of()).answer("peak-priority", any -> evaluation(95, 60))))
                .isEqualTo("auto");
    }

    @Test
    void aFullSearchComesAfterAQuickOne() {
        Told subject = autoTightened(2, Map.of("auto", 100L))
                .answer("auto", options -> evaluation(100, options.effort() == Effort.FULL ? 40 : 50));
        BudgetSearch<MeasuredPlan> search = new BudgetSearch<>(subject, Effort.FULL, SearchListener.NONE);
        assertThat(search.run(Optional.empty(), Optional.of(new Budget.Bytes(100)))
                        .plan()
                        .evaluation()
                        .cost())
                .isEqualTo(40);
        assertThat(autoAsked).hasSize(2);
        autoAsked.clear();
        chosen(autoTightened(5_002, Map.of("auto", 100L)), Effort.FULL, SearchListener.NONE);
        assertThat(autoAsked).hasSize(1);
    }

    @Test
    void whatSearchesCameByUndercutsAutoIfItFits() {
        assertThat(chosen(autoTightened(2, Map.of()).comingBy("sqrt", evaluation(95, 49))))
                .isEqualTo("sqrt");
        assertThat(chosen(autoTightened(2, Map.of("sqrt", 101L)).comingBy("sqrt", evaluation(95, 49))))
                .isEqualTo("auto");
    }

    @Test
    void whatCostsAsMuchOrWhosePeakIsTooLargeIsNotEvenMeasured() {
        assertThat(chosen(autoTightened(2, Map.of())
                        .comingBy("sqrt", evaluation(10, 50))
                        .comingBy("recursive", evaluation(101, 1))))
                .isEqualTo("auto");
        assertThat(measured).containsExactly("keep-all", "peak-priority", "auto", "auto");
    }

    @Test
    void theCheapestThatFitsIsTakenAndNoDearerOneIsMeasured() {
        assertThat(chosen(autoTightened(2, Map.of("revolve", 200L))
                        .comingBy("sqrt", evaluation(80, 45))
                        .comingBy("recursive", evaluation(85, 30))
                        .comingBy("revolve", evaluation(95, 20))))
                .isEqualTo("recursive");
        assertThat(measured).endsWith("revolve", "recursive").doesNotContain("sqrt");
    }

    /** Local search asked for all of 100 finds nothing, asked for less something. */
    private String chosenByMore(Effort effort, int nodes, Map<String, Long> measures) {
        Told subject = autoTightened(nodes, measures)
                .comingBy("auto", evaluation(100, 45))
                .answer("anneal", options -> {
                    asked.add(options.budgetBytes().orElse(-1));
                    return options.budgetBytes().orElse(100) < 100 ? evaluation(80, 40) : evaluation(2000, 2000);
                });
        asked.clear();
        return chosen(subject, effort, SearchListener.NONE);
    }

    @Test
    void withMoreEffortLocalSearchGoesOnFromAPlanThatWasTightened() {
        for (Effort effort : List.of(Effort.NORMAL, Effort.FULL)) {
            assertThat(chosenByMore(effort, 2, Map.of())).isEqualTo("anneal");
            assertThat(asked).containsExactly(90L);
        }
        assertThat(chosenByMore(Effort.QUICK, 2, Map.of())).isEqualTo("auto");
        assertThat(asked).isEmpty();
    }

    @Test
    void aPlanThatFitsAtOnceIsLeftAsItIs() {
        for (Effort effort : Effort.values()) {
            assertThat(chosenByMore(effort, 2, Map.of("auto", 100L))).isEqualTo("auto");
            assertThat(asked).isEmpty();
        }
    }

    @Test
    void aNormalSearchIsContentWithAPlanThatCostsHardlyMoreThanTheBestFound() {
        Told subject = autoTightened(2, Map.of())
                .comingBy("auto", evaluation(100, 50))
                .answer("anneal", options -> {
                    asked.add(options.budgetBytes().orElse(-1));
                    return evaluation(80, 40);
                });
        assertThat(chosen(subject, Effort.NORMAL, SearchListener.NONE)).isEqualTo("auto");
        assertThat(asked).isEmpty();
    }

    /** What was found on the way fits as it is: nothing is repaired. */
    @Test
    void aNormalSearchTakesWhatIsNearlyAsCheapAndFitsInsteadOfRepairing() {
        assertThat(chosen(autoTightened(2, Map.of()).comingBy("sqrt", evaluation(95, 49)), Effort.NORMAL, NONE))
                .isEqualTo("sqrt");
        assertThat(autoAsked).containsExactly("from the beginning for 100");
        autoAsked.clear();
        Map<String, Long> tooLarge = Map.of("sqrt", 101L);
        assertThat(chosen(autoTightened(2, tooLarge).comingBy("sqrt", evaluation(95, 49)), Effort.NORMAL, NONE))
                .isEqualTo("auto");
        assertThat(autoAsked).containsExactly("from the beginning for 100", "onward for 80");
    }

    /** One that was there before is one of them; it has been laid out. */
    @Test
    void aNormalSearchTakesTheFirstPlanIfAutoFindsHardlyACheaperOne() {
        assertThat(chosen(withFirst(60_001), Effort.NORMAL, NONE)).isEqualTo("peak-priority");
        assertThat(autoAsked).containsExactly("from the beginning for 100");
        assertThat(chosen(withFirst(60_100), Effort.NORMAL, NONE)).isEqualTo("anneal");
    }

    /** A thousandth of the cost of everything is 2. */
    private Told withFirst(long cost) {
        Told chain = autoTightened(4_800, Map.of());
        return chain.answer("peak-priority", any -> evaluation(95, cost))
                .answer("auto", options -> evaluation(options.budgetBytes().orElse(50), 60_000))
                .answer("anneal", any -> evaluation(90, 60_010));
    }

    @Test
    void aNormalSearchEndsWithTheFirstPlanIfABoundLeavesAutoNothingToFind() {
        long least = autoTightened(2, Map.of()).problem().baselineCost();
        assertThat(chosen(
                        autoTightened(2, Map.of()).answer("peak-priority", any -> evaluation(95, least)),
                        Effort.NORMAL,
                        NONE))
                .isEqualTo("peak-priority");
        assertThat(autoAsked).isEmpty();
        assertThat(chosen(
                        autoTightened(2, Map.of()).answer("peak-priority", any -> evaluation(101, least)),
                        Effort.NORMAL,
                        NONE))
                .isEqualTo("auto");
        assertThat(chosen(
                        autoTightened(2, Map.of()).answer("peak-priority", any -> evaluation(95, least)),
                        Effort.FULL,
                        NONE))
                .isNotEmpty();
        assertThat(autoAsked).hasSizeGreaterThan(1);
    }

    /** It will be improved within what its gaps leave. */
    @Test
    void withMoreEffortAPlanIsRepairedForTwiceAsMuchLess() {
        chosen(autoTightened(2, Map.of()), Effort.NORMAL, SearchListener.NONE);
        assertThat(autoAsked).containsExactly("from the beginning for 100", "onward for 80");
    }

    /** Whose gaps are too large is asked for less twice more, at last for much less; then the plan stays as it is. */
    @Test
    void localSearchThatFindsNothingThatFitsLeavesThePlan() {
        assertThat(chosenByMore(Effort.NORMAL, 2, Map.of("anneal", 105L))).isEqualTo("auto");
        assertThat(asked).containsExactly(90L, 85L, 75L);
    }

    /** Asked for 90 it takes too much, asked for 86 too little: between these something cheaper fits. */
    @Test
    void localSearchIsAskedForWhatLiesBetweenTooMuchAndTooLittle() {
        assertThat(costBetween(2, 44)).isEqualTo(60_042);
        assertThat(asked).containsExactly(90L, 86L, 88L);
    }

    /** A thousandth of the cost of everything is 2. */
    @Test
    void whatLiesBetweenIsNotAskedForIfLittleIsToBeSaved() {
        assertThat(costBetween(4_800, 43)).isEqualTo(60_043);
        assertThat(asked).containsExactly(90L, 86L);
    }

    /** @param tooLittle cost of what is found for 86; all are 60,000 more, above any bound */
    private long costBetween(int nodes, long tooLittle) {
        Map<Long, SequenceEvaluation> found = Map.of(
                90L, evaluation(104, 60_040),
                88L, evaluation(99, 60_042),
                86L, evaluation(84, 60_000 + tooLittle));
        Told subject = autoTightened(nodes, Map.of())
                .comingBy("auto", evaluation(100, 60_045))
                .answer("auto", options -> evaluation(options.budgetBytes().orElse(50), 60_050))
                .answer("anneal", options -> {
                    asked.add(options.budgetBytes().orElse(-1));
                    return found.get(asked.getLast());
                });
        return new BudgetSearch<>(subject, Effort.NORMAL, NONE)
                .run(Optional.empty(), Optional.of(new Budget.Bytes(100)))
                .plan()
                .evaluation()
                .cost();
    }

    /** A plan by a single strategy; what {@code auto} finds is too large, and too large when it is repaired. */
    private Told autoThatCannotBeRepaired() {
        return autoThatCannotBeRepaired(2, 1);
    }

    /** @param times what costs are multiplied by */
    private Told autoThatCannotBeRepaired(int nodes, long times) {
        return autoTightened(nodes, Map.of("recursive", 120L))
                .answer("peak-priority", any -> evaluation(95, 60 * times))
                .answer(
                        "auto",
                        options -> autoAsked.getLast().startsWith("onward")
                                ? evaluation(2000, 2000)
                                : evaluation(options.budgetBytes().getAsLong(), 50 * times));
    }

    @Test
    void aNormalSearchGoesOnFromThePlanThatIsThereInsteadOfAskingAutoAgain() {
        assertThat(chosen(autoThatCannotBeRepaired(), Effort.NORMAL, SearchListener.NONE))
                .isEqualTo("peak-priority");
        assertThat(autoAsked).containsExactly("from the beginning for 100");
        autoAsked.clear();
        assertThat(chosen(autoThatCannotBeRepaired())).isEqualTo("auto");
        assertThat(autoAsked)
                .containsExactly("from the beginning for 100", "onward for 90", "from the beginning for 90");
    }

    /** Local search from far away takes long there. */
    @Test
    void aboutALargeProblemAutoIsAskedAgain() {
        assertThat(chosen(autoThatCannotBeRepaired(5_002, 1_000_000), Effort.NORMAL, NONE))
                .isEqualTo("auto");
        assertThat(autoAsked)
                .containsExactly("from the beginning for 100", "onward for 80", "from the beginning for 80");
    }

    /** The first plan fits; one that costs less takes 110: local search goes on from it for as much less. */
    @Test
    void aNormalSearchImprovesAPlanThatFitsAtOnceWhereACheaperOneDoesNot() {
        Told subject = autoThatCannotBeRepaired()
                .comingBy("recursive", evaluation(100, 55))
                .answer("anneal", options -> {
                    asked.add(options.budgetBytes().orElse(-1));
                    return evaluation(90, 56);
                });
        assertThat(chosen(subject, Effort.NORMAL, SearchListener.NONE)).isEqualTo("anneal");
        assertThat(asked).containsExactly(90L, 95L, 98L);
    }
}
