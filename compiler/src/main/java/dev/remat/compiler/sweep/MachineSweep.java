package dev.remat.compiler.sweep;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.ranks.Sharding;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The ways in which machines may work on one step together, and by which it is fastest within the memory of each. Ways
 * are planned in the order of what they take at least where nothing waits for a link; what takes longer by that than
 * the fastest that was planned is left out.
 *
 * @param rows in the order in which ways were given
 */
public record MachineSweep(List<Row> rows) {
    /**
     * A way: every rank has all stages, and a machine is a stage of a rank.
     *
     * @param microBatches of all ranks together
     * @param schedule of several stages
     */
    public record Way(int stages, int ranks, int microBatches, Schedule schedule) {
        public int machines() {
            return stages * ranks;
        }
    }

    /** A way and what came of it. */
    public record Row(Way way, Outcome outcome) {}

    /** What may come of a way. */
    public sealed interface Outcome {
        /**
         * It fits.
         *
         * @param cost of a step
         * @param bubble share of all stages' time in which they compute nothing; 0 of one stage
         * @param largestArena of a machine
         * @param sharding what ranks share of the state
         */
        record Planned(double cost, double bubble, long largestArena, Sharding sharding) implements Outcome {}

        /** @param smallestBytes the smallest plan that was found of a machine that does not fit */
        record Refused(long smallestBytes) implements Outcome {}

        /** The model has fewer calls than parts. */
        record TooFewBlocks(int blocks) implements Outcome {}

        /** @param least what it takes at least, which is more than another takes */
        record Slower(long least) implements Outcome {}

        /** Time was up. */
        record Untried() implements Outcome {}
    }

    public MachineSweep {
        rows = List.copyOf(rows);
    }

    /** The fastest that fits, of equals the first. */
    public Optional<Row> fastest() {
        return rows.stream()
                .filter(row -> row.outcome() instanceof Outcome.Planned)
                .min(Comparator.comparingDouble(row -> ((Outcome.Planned) row.outcome()).cost()));
    }

    /**
     * @param plan for machines with the memory of each
     * @param models by the numbers of micro-batches that ways have
     * @param listener ends the sweep when time is up, of which the first way is always planned
     */
    public static MachineSweep run(
            PlanWay plan, SortedMap<Integer, ElaboratedModel> models, List<Way> ways, SearchListener listener) {
        return new Sweep(plan, models, listener).run(ways);
    }

    /** One sweep. */
    private static final class Sweep {
        private final PlanWay plan;
        private final SortedMap<Integer, ElaboratedModel> models;
        private final SearchListener listener;

        Sweep(PlanWay plan, SortedMap<Integer, ElaboratedModel> models, SearchListener listener) {
            this.plan = plan;
            this.models = models;
            this.listener = listener;
        }

        MachineSweep run(List<Way> ways) {
            long[] least = new long[ways.size()];
            // Those of one model after one another, since they have much in common.
            for (int count : models.keySet()) {
                for (int k = 0; k < least.length; k++) {
                    if (ways.get(k).microBatches() == count) {
                        least[k] = plan.least(models.get(count), ways.get(k));
                    }
                }
            }
            List<Integer> order = new ArrayList<>();
            for (int k = 0; k < least.length; k++) {
                order.add(k);
            }
            order.sort(Comparator.comparingLong((Integer k) -> least[k]).thenComparing(Comparator.naturalOrder()));
            Row[] rows = new Row[least.length];
            double best = Double.MAX_VALUE;
            for (int k : order) {
                Way way = ways.get(k);
                Outcome outcome = least[k] >= best
                        ? new Outcome.Slower(least[k])
                        : best < Double.MAX_VALUE && listener.expired()
                                ? new Outcome.Untried()
                                : plan.run(models.get(way.microBatches()), way);
                rows[k] = new Row(way, outcome);
                best = outcome instanceof Outcome.Planned planned ? Math.min(best, planned.cost()) : best;
            }
            return new MachineSweep(List.of(rows));
        }
    }
}
