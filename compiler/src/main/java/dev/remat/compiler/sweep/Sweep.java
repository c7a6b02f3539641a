package dev.remat.compiler.sweep;

import dev.remat.compiler.search.MemoryFloor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The plans of a sweep. The best within a budget is taken from all of a strategy's plans, whatever budget they were
 * made for, so that a looser budget never costs more; {@code auto}, where it was asked, takes from those of all
 * strategies.
 *
 * @param keepAll the plan that recomputes nothing, which budgets in percent refer to
 * @param floor what no plan can do without
 * @param baselineCost of every node once
 * @param budgets loosest first
 * @param columns what each strategy made, in the order in which they were asked
 * @param bounds what every plan within each budget costs at least, as strategies reckon memory, in any order; none
 *     where they were not asked for
 */
public record Sweep(
        SweepPoint keepAll,
        MemoryFloor floor,
        long baselineCost,
        List<Long> budgets,
        List<Column> columns,
        List<Long> bounds) {
    /** A strategy by the name that it was asked by, and its plans. */
    public record Column(String strategy, List<SweepPoint> points) {
        public Column {
            points = List.copyOf(points);
        }

        /** The cheapest plan within the budget; of several the smallest. */
        public Optional<SweepPoint> within(long budget) {
            return points.stream().filter(point -> point.bytes() <= budget).min(CHEAPEST);
        }
    }

    private static final Comparator<SweepPoint> CHEAPEST =
            Comparator.comparingLong(SweepPoint::cost).thenComparingLong(SweepPoint::bytes);

    public Sweep {
        budgets = List.copyOf(budgets);
        columns = List.copyOf(columns);
        bounds = List.copyOf(bounds);
    }

    /** The cheapest plan of all strategies within a budget. */
    public Optional<SweepPoint> best(long budget) {
        return frontier().stream().filter(point -> point.bytes() <= budget).findFirst();
    }

    /**
     * What the plans within a budget recompute at least, as {@link #overhead}; empty where that was not asked for, and
     * below the floor, where there are none.
     */
    public OptionalDouble lowerBoundOverhead(long budget) {
        return bounds.isEmpty() || budget < floor.bytes()
                ? OptionalDouble.empty()
                : OptionalDouble.of(overhead(bounds.get(budgets.indexOf(budget))));
    }

    /** Whether no plan within the budget costs less than the best. */
    public boolean proven(long budget) {
        return !bounds.isEmpty()
                && best(budget)
                        .filter(point -> point.cost() == bounds.get(budgets.indexOf(budget)))
                        .isPresent();
    }

    /** Plans that no other beats in both bytes and cost, the largest and cheapest first. */
    public List<SweepPoint> frontier() {
        List<SweepPoint> all = new ArrayList<>(List.of(keepAll));
        columns.forEach(column -> all.addAll(column.points()));
        all.sort(CHEAPEST);
        List<SweepPoint> frontier = new ArrayList<>();
        for (SweepPoint point : all) {
            if (frontier.isEmpty() || point.bytes() < frontier.getLast().bytes()) {
                frontier.add(point);
            }
        }
        return frontier;
    }

    /** Bytes of the smallest plan. */
    public long smallestFoundBytes() {
        return frontier().getLast().bytes();
    }

    /** Cost of the plan's recomputations over the cost of every node once; zero where nothing costs anything. */
    public double overhead(SweepPoint point) {
        return overhead(point.cost());
    }

    private double overhead(long cost) {
        return baselineCost == 0 ? 0 : (double) (cost - baselineCost) / baselineCost;
    }
}
