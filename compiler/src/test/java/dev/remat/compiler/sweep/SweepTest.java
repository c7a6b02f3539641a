package dev.remat.compiler.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.search.MemoryFloor;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepTest {
    private static final SweepPoint KEPT = new SweepPoint("keep-all", 100, 50);
    private static final SweepPoint LARGE = new SweepPoint("a", 90, 60);
    private static final SweepPoint WORSE = new SweepPoint("a", 90, 61);
    private static final SweepPoint BEATEN = new SweepPoint("b", 85, 75);
    private static final SweepPoint SMALL = new SweepPoint("b", 70, 75);
    private static final Sweep SWEEP = new Sweep(
            KEPT,
            new MemoryFloor(1, "a"),
            50,
            List.of(95L, 70L),
            List.of(new Sweep.Column("a", List.of(WORSE, LARGE)), new Sweep.Column("b", List.of(BEATEN, SMALL))),
            List.of(60L, 70L));

    @Test
    void aBudgetTakesTheCheapestThatFitsAndOfThoseTheSmallest() {
        assertThat(SWEEP.columns().getFirst().within(95)).contains(LARGE);
        assertThat(SWEEP.columns().getFirst().within(90)).contains(LARGE);
        assertThat(SWEEP.columns().getFirst().within(89)).isEmpty();
        assertThat(SWEEP.columns().getLast().within(95)).contains(SMALL);
    }

    @Test
    void theFrontierHoldsWhatNothingBeats() {
        assertThat(SWEEP.frontier()).containsExactly(KEPT, LARGE, SMALL);
        assertThat(SWEEP.smallestFoundBytes()).isEqualTo(70);
    }

    @Test
    void overheadIsOfTheBaseline() {
        assertThat(SWEEP.overhead(SMALL)).isEqualTo(0.5);
        assertThat(SWEEP.overhead(KEPT)).isZero();
        assertThat(new Sweep(KEPT, new MemoryFloor(1, "a"), 0, List.of(), List.of(), List.of()).overhead(KEPT))
                .isZero();
    }

    @Test
    void theBestIsProvenWhereItCostsNoMoreThanTheBound() {
        assertThat(SWEEP.best(95)).contains(LARGE);
        assertThat(SWEEP.best(70)).contains(SMALL);
        assertThat(SWEEP.best(69)).isEmpty();
        assertThat(SWEEP.proven(95)).isTrue();
        assertThat(SWEEP.proven(70)).isFalse();
        assertThat(SWEEP.lowerBoundOverhead(95)).hasValue(0.2);
        assertThat(SWEEP.lowerBoundOverhead(70)).hasValue(0.4);
        Sweep high = new Sweep(KEPT, new MemoryFloor(80, "a"), 50, SWEEP.budgets(), SWEEP.columns(), SWEEP.bounds());
        assertThat(high.lowerBoundOverhead(70)).as("below the floor").isEmpty();
        assertThat(high.lowerBoundOverhead(95)).hasValue(0.2);
    }

    @Test
    void nothingIsProvenThatWasNotAskedFor() {
        Sweep unproven = new Sweep(KEPT, new MemoryFloor(1, "a"), 50, List.of(95L), SWEEP.columns(), List.of());
        assertThat(unproven.lowerBoundOverhead(95)).isEmpty();
        assertThat(unproven.proven(95)).isFalse();
    }
}
