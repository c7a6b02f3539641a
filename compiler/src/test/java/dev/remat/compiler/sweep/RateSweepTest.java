package dev.remat.compiler.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.search.MemoryFloor;
import dev.remat.compiler.sweep.RateSweep.Row;
import dev.remat.ir.plan.Tier;
import java.util.List;
import org.junit.jupiter.api.Test;

class RateSweepTest {
    private static final long BUDGET = 80;

    private static Sweep sweep(long cost) {
        List<SweepPoint> points = cost == 0 ? List.of() : List.of(new SweepPoint("by " + cost, BUDGET, cost));
        return new Sweep(
                new SweepPoint("keep-all", 100, 1000),
                new MemoryFloor(10, "x"),
                1000,
                List.of(BUDGET),
                List.of(new Sweep.Column("auto", points)),
                List.of());
    }

    private static Row row(long store, long fetch, long latency, long cost) {
        return new Row(new Tier("disk", 1000, store, fetch, latency), sweep(cost));
    }

    private static long best(RateSweep sweep, int row) {
        return sweep.best(sweep.rows().get(row), BUDGET).orElseThrow().point().cost();
    }

    @Test
    void aFasterLinkNeverCostsMore() {
        RateSweep sweep = new RateSweep(
                sweep(1500), List.of(row(100, 100, 5, 1300), row(200, 200, 5, 1400), row(50, 50, 5, 1600)));
        assertThat(best(sweep, 0)).isEqualTo(1300);
        assertThat(best(sweep, 1)).isEqualTo(1300);
        assertThat(best(sweep, 2)).isEqualTo(1600);
        assertThat(sweep.best(sweep.rows().get(1), BUDGET).orElseThrow().overhead())
                .isEqualTo(0.3);
        assertThat(sweep.still(BUDGET).orElseThrow().overhead()).isEqualTo(0.5);
    }

    @Test
    void aLinkThatTakesLessFromNodesNeverCostsMore() {
        Row gentle = row(100, 100, 5, 1400);
        Row rough = new Row(new Tier("disk", 1000, 100, 100, 5, 9), sweep(1300));
        RateSweep sweep = new RateSweep(sweep(1500), List.of(gentle, rough));
        assertThat(best(sweep, 0)).isEqualTo(1300);
        assertThat(best(new RateSweep(sweep(1500), List.of(rough, row(200, 200, 5, 1450))), 0))
                .isEqualTo(1300);
        assertThat(best(new RateSweep(sweep(1500), List.of(row(100, 100, 5, 1200), rough)), 1))
                .isEqualTo(1300);
    }

    /** One that is faster in one way and slower in another may cost more. */
    @Test
    void linksThatNeitherIsFasterThanAreApart() {
        RateSweep sweep =
                new RateSweep(sweep(0), List.of(row(100, 100, 5, 1300), row(400, 90, 5, 1400), row(400, 400, 6, 1450)));
        assertThat(best(sweep, 1)).isEqualTo(1400);
        assertThat(best(sweep, 2)).isEqualTo(1450);
        assertThat(sweep.still(BUDGET)).isEmpty();
        RateSweep none = new RateSweep(sweep(0), List.of(row(1, 1, 0, 0)));
        assertThat(none.best(none.rows().getFirst(), BUDGET)).isEmpty();
    }
}
