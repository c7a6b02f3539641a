package dev.remat.compiler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.SequenceEvaluation;
import dev.remat.ir.plan.OperatorSequence;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UndercutAutoTest {
    private static final PlannerOptions BUDGET = PlannerOptions.withBudget(100);
    private static final Proposal AUTO = proposal("auto", 90, 50);

    private final List<String> measured = new ArrayList<>();
    private int asked;

    private static Proposal proposal(String strategy, long peak, long cost) {
        return new Proposal(
                new OperatorSequence(strategy, new int[] {0}, List.of()),
                new SequenceEvaluation(peak, 0, new long[0], cost, 1, 0, List.of()));
    }

    /** @param arenas by strategy; those of others may not be asked for */
    private String run(int nodes, PlannerOptions options, Map<String, Long> arenas, Proposal... singles) {
        Proposal taken = UndercutAuto.run(
                nodes,
                AUTO,
                options,
                given -> {
                    assertThat(given).isEqualTo(options);
                    asked++;
                    return List.of(singles);
                },
                proposal -> {
                    String strategy = proposal.sequence().strategy();
                    measured.add(strategy);
                    return arenas.get(strategy);
                });
        return taken.sequence().strategy();
    }

    private String run(Map<String, Long> arenas, Proposal... singles) {
        return run(1, BUDGET, arenas, singles);
    }

    @Test
    void aCheaperSingleWhoseArenaFitsIsTaken() {
        assertThat(run(Map.of("single", 100L), proposal("single", 95, 49))).isEqualTo("single");
    }

    @Test
    void aSingleWhoseArenaIsTooLargeIsNot() {
        assertThat(run(Map.of("single", 101L), proposal("single", 95, 49))).isEqualTo("auto");
    }

    @Test
    void aSingleThatCostsAsMuchOrWhosePeakIsTooLargeIsNotEvenMeasured() {
        assertThat(run(Map.of(), proposal("dear", 10, 50), proposal("dearer", 10, 51), proposal("large", 101, 1)))
                .isEqualTo("auto");
        assertThat(measured).isEmpty();
    }

    @Test
    void theCheapestThatFitsIsTakenWhereverItStandsAndNoDearerOneIsMeasured() {
        assertThat(run(
                        Map.of("tall", 200L, "cheap", 80L),
                        proposal("fair", 80, 45),
                        proposal("cheap", 85, 30),
                        proposal("tall", 95, 20)))
                .isEqualTo("cheap");
        assertThat(measured).containsExactly("tall", "cheap");
    }

    @Test
    void aLargeProblemIsLeftAsItIs() {
        assertThat(run(5_001, BUDGET, Map.of(), proposal("single", 95, 49))).isEqualTo("auto");
        assertThat(asked).isZero();
        assertThat(run(5_000, BUDGET, Map.of("single", 100L), proposal("single", 95, 49)))
                .isEqualTo("single");
        assertThat(asked).isEqualTo(1);
    }

    @Test
    void nobodyIsAskedWhenTimeIsUp() {
        PlannerOptions late = BUDGET.telling(new SearchListener() {
            @Override
            public void trying(String what) {}

            @Override
            public boolean expired() {
                return true;
            }
        });
        assertThat(run(1, late, Map.of(), proposal("single", 95, 49))).isEqualTo("auto");
        assertThat(asked).isZero();
    }
}
