package dev.remat.compiler.sweep;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.Subject;
import dev.remat.ir.plan.Tier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The plans of one step for several rates of a link. What was found for a slower link takes no more time on a faster
 * one, so that a faster link never costs more.
 *
 * @param still what moves nothing
 * @param rows in the order in which rates were asked
 */
public record RateSweep(Sweep still, List<Row> rows) {
    /** @param tier that the link leads to */
    public record Row(Tier tier, Sweep sweep) {
        /** Whether nothing about the link is faster than that of another row. */
        private boolean isNoFasterThan(Row other) {
            return tier.storeBytesPerSecond() <= other.tier.storeBytesPerSecond()
                    && tier.fetchBytesPerSecond() <= other.tier.fetchBytesPerSecond()
                    && tier.latencyNanos() >= other.tier.latencyNanos()
                    && tier.interferenceNanosPerMegabyte() >= other.tier.interferenceNanosPerMegabyte();
        }

        private Optional<Cell> best(long budget) {
            return RateSweep.best(sweep, budget);
        }
    }

    /**
     * A plan, and what it takes at most on the link.
     *
     * @param overhead what that exceeds the cost of every node once by, over that
     */
    public record Cell(SweepPoint point, double overhead) {}

    public RateSweep {
        rows = List.copyOf(rows);
    }

    /**
     * @param subjects the step, by what lies below
     * @param rates what lies below; the last tier is the one whose link is asked about
     * @param budgets as of {@link SweepBudgets}
     */
    public static RateSweep run(
            Function<Below, Subject<?>> subjects,
            List<Below> rates,
            List<Planner> planners,
            List<Budget> budgets,
            PlannerOptions options) {
        Sweep still = SweepBudgets.run(subjects.apply(Below.NOTHING), planners, budgets, options, false);
        List<Budget> same =
                still.budgets().stream().<Budget>map(Budget.Bytes::new).toList();
        List<Row> rows = new ArrayList<>();
        for (Below below : rates) {
            Sweep sweep = SweepBudgets.run(subjects.apply(below), planners, same, options, false);
            rows.add(new Row(below.tiers().getLast(), sweep));
        }
        return new RateSweep(still, rows);
    }

    /** Budgets in bytes, loosest first. */
    public List<Long> budgets() {
        return still.budgets();
    }

    /** The cheapest plan within a budget that moves nothing. */
    public Optional<Cell> still(long budget) {
        return best(still, budget);
    }

    /** The cheapest plan within a budget for a row's link, or a slower one. */
    public Optional<Cell> best(Row row, long budget) {
        return rows.stream()
                .filter(each -> each.isNoFasterThan(row))
                .flatMap(each -> each.best(budget).stream())
                .min(Comparator.comparingLong((Cell cell) -> cell.point().cost())
                        .thenComparingLong(cell -> cell.point().bytes()));
    }

    private static Optional<Cell> best(Sweep sweep, long budget) {
        return sweep.best(budget).map(point -> new Cell(point, sweep.overhead(point)));
    }
}
