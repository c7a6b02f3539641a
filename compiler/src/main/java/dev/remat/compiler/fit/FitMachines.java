package dev.remat.compiler.fit;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelByExtent;
import dev.remat.compiler.pipeline.TooFewBlocksException;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.sweep.MachineSweep.Outcome;
import dev.remat.compiler.sweep.MachineSweep.Way;
import dev.remat.compiler.sweep.PlanWay;
import dev.remat.ir.diagnostic.ModelException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Finds the largest batch that machines have room for, for one way to share it after another. With enough micro-batches
 * any batch fits, so that the question is by which way its rows take least time.
 *
 * <p>Floors say which batches are impossible, and of those left the largest that can be planned is taken. A way whose
 * rows take longer than those of another, even where nothing waits and nothing is computed again, is left out.
 */
public final class FitMachines {
    /**
     * A way and the largest batch that it fits with.
     *
     * @param extent 0 where none fits; of one that is slower, what floors allow
     */
    public record Row(Way way, long extent, Outcome outcome) {
        /** What a row of the batch costs. */
        public Optional<Double> costOfRow() {
            return outcome instanceof Outcome.Planned planned ? Optional.of(planned.cost() / extent) : Optional.empty();
        }
    }

    private final PlanWay plan;
    private final SortedMap<Integer, ModelByExtent> models;
    private final long limit;
    private final long memory;
    private final SearchListener listener;

    private FitMachines(
            PlanWay plan, SortedMap<Integer, ModelByExtent> models, long limit, long memory, SearchListener listener) {
        this.plan = plan;
        this.models = models;
        this.limit = limit;
        this.memory = memory;
        this.listener = listener;
    }

    /**
     * What fits, in the order of ways, one of which does.
     *
     * @param plan for machines with that memory
     * @param models by numbers of micro-batches, over the symbol of the batch
     * @param limit of the batch
     * @param memory bytes that the arena of each machine may take
     * @throws dev.remat.compiler.search.BudgetException if nothing fits: of the way that takes least
     * @throws TooFewBlocksException if the model cannot be cut in any way
     * @throws ModelException if the model is invalid with a row in each micro-batch
     */
    public static List<Row> run(
            PlanWay plan,
            SortedMap<Integer, ModelByExtent> models,
            List<Way> ways,
            long limit,
            long memory,
            SearchListener listener) {
        return new FitMachines(plan, models, limit, memory, listener).run(ways);
    }

    /** The one whose rows cost least; of equals the first. */
    public static Row fastest(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.costOfRow().isPresent())
                .min(Comparator.comparingDouble(row -> row.costOfRow().get()))
                .orElseThrow();
    }

    private List<Row> run(List<Way> ways) {
        Row[] rows = new Row[ways.size()];
        double[] least = new double[rows.length];
        long[] most = new long[rows.length];
        for (int k = 0; k < rows.length; k++) {
            Way way = ways.get(k);
            try {
                most[k] = LargestExtent.find(
                        1, largest(way), memory, rowsEach -> floor(way, rowsEach), listener::expired);
                least[k] = (double) plan.least(model(way, Math.max(1, most[k])), way) / rows(way, Math.max(1, most[k]));
            } catch (TooFewBlocksException e) {
                rows[k] = new Row(way, 0, new Outcome.TooFewBlocks(e.blocks()));
            }
        }
        double best = Double.MAX_VALUE;
        for (int k : IntStream.range(0, rows.length)
                .boxed()
                .filter(k -> rows[k] == null)
                .sorted(Comparator.comparingDouble(k -> least[k]))
                .toList()) {
            Way way = ways.get(k);
            rows[k] = least[k] >= best
                    ? new Row(way, rows(way, most[k]), new Outcome.Slower((long) (least[k] * rows(way, most[k]))))
                    : best < Double.MAX_VALUE && listener.expired()
                            ? new Row(way, 0, new Outcome.Untried())
                            : row(way, most[k]);
            best = Math.min(best, rows[k].costOfRow().orElse(best));
        }
        if (best == Double.MAX_VALUE) {
            refuse(rows);
        }
        return List.of(rows);
    }

    private long largest(Way way) {
        return Math.max(1, limit / way.microBatches());
    }

    private static long rows(Way way, long each) {
        return each * way.microBatches();
    }

    private ElaboratedModel model(Way way, long rowsEach) {
        return models.get(way.microBatches()).with(rows(way, rowsEach));
    }

    private long floor(Way way, long rowsEach) {
        try {
            return plan.floor(model(way, rowsEach), way);
        } catch (ModelException e) {
            if (rowsEach == 1) {
                throw e;
            }
            return Long.MAX_VALUE;
        }
    }

    /** @param most rows of a micro-batch of which floors fit; none if 0 */
    private Row row(Way way, long most) {
        Map<Long, Outcome> outcomes = new TreeMap<>();
        long first = Math.max(1, most);
        outcomes.put(first, plan.run(model(way, first), way));
        long found = outcomes.get(first) instanceof Outcome.Planned
                ? first
                : first == 1
                        ? 0
                        : LargestExtent.find(
                                1,
                                first - 1,
                                memory,
                                each -> bytes(outcomes.computeIfAbsent(each, rows -> plan.run(model(way, rows), way))),
                                listener::expired);
        return new Row(way, rows(way, found), outcomes.get(Math.max(1, found)));
    }

    private static long bytes(Outcome outcome) {
        return outcome instanceof Outcome.Planned planned ? planned.largestArena() : Long.MAX_VALUE;
    }

    /** By what refuses the way that takes least with a row in each micro-batch. */
    private void refuse(Row[] rows) {
        long smallest = Long.MAX_VALUE;
        Way way = rows[0].way();
        for (Row row : rows) {
            if (row.outcome() instanceof Outcome.Refused(long bytes) && bytes < smallest) {
                smallest = bytes;
                way = row.way();
            }
        }
        plan.planned(model(way, 1), way);
    }
}
