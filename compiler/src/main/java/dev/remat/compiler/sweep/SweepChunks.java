package dev.remat.compiler.sweep;

import dev.remat.compiler.ChooseChunks;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.chunk.ChunkedLoss;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.MemoryFloor;
import dev.remat.compiler.sweep.Sweep.Column;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Sweeps a step whose losses may be cut: with losses whole, and in each number of chunks that {@link ChooseChunks}
 * takes for one of the budgets. Plans in chunks are called so, and are held against what the whole costs.
 */
public final class SweepChunks {
    private final Compiler compiler;
    private final ElaboratedModel model;
    private final CompileOptions options;

    private SweepChunks(Compiler compiler, ElaboratedModel model, CompileOptions options) {
        this.compiler = compiler;
        this.model = model;
        this.options = options;
    }

    /**
     * As {@link SweepBudgets} does, of one graph, where it is given how losses are cut, or none is cut.
     *
     * @param options how losses are cut, and what lies below the arena
     */
    public static Sweep run(
            Compiler compiler,
            ElaboratedModel model,
            CompileOptions options,
            List<Planner> planners,
            List<Budget> budgets,
            PlannerOptions search,
            boolean bounded) {
        return new SweepChunks(compiler, model, options).run(planners, budgets, search, bounded);
    }

    private Sweep run(List<Planner> planners, List<Budget> budgets, PlannerOptions search, boolean bounded) {
        if (!options.chunks().equals(Chunks.AUTO)) {
            return SweepBudgets.run(
                    compiler.subject(compiler.prepare(model, options)), planners, budgets, search, bounded);
        }
        PreparedStep whole = compiler.prepare(model, options.with(Chunks.AS_WRITTEN));
        PreparedStep most =
                compiler.prepare(model, options.with(Chunks.wherePossible(Collections.max(ChooseChunks.counts()))));
        if (!whole.chunked().isEmpty() || most.chunked().isEmpty()) {
            return SweepBudgets.run(compiler.subject(whole), planners, budgets, search, bounded);
        }
        long kept = compiler.search(whole).keepAll().bytes();
        List<Long> within = budgets.isEmpty()
                ? SweepBudgets.tenths(kept, most.floor().bytes())
                : budgets.stream().map(budget -> budget.bytes(kept)).toList();
        TreeMap<Integer, PreparedStep> steps = new TreeMap<>();
        steps.put(count(whole), whole);
        for (long budget : within) {
            PreparedStep step = compiler.prepare(model, options.withBudget(budget));
            steps.putIfAbsent(count(step), step);
        }
        List<Budget> bytes = within.stream().<Budget>map(Budget.Bytes::new).toList();
        List<Sweep> sweeps = new ArrayList<>();
        steps.forEach((count, step) ->
                sweeps.add(called(SweepBudgets.run(compiler.subject(step), planners, bytes, search, bounded), count)));
        return together(sweeps);
    }

    private static int count(PreparedStep step) {
        return step.chunked().stream().mapToInt(ChunkedLoss::count).max().orElse(1);
    }

    /** With the number in the names of plans. */
    private static Sweep called(Sweep sweep, int count) {
        if (count == 1) {
            return sweep;
        }
        List<Column> columns = sweep.columns().stream()
                .map(column -> new Column(
                        column.strategy(),
                        column.points().stream()
                                .map(point -> new SweepPoint(
                                        point.strategy() + " in " + count + " chunks", point.bytes(), point.cost()))
                                .toList()))
                .toList();
        return new Sweep(
                sweep.keepAll(), sweep.floor(), sweep.baselineCost(), sweep.budgets(), columns, sweep.bounds());
    }

    /** @param sweeps of the same strategies and budgets, that of the whole first */
    private static Sweep together(List<Sweep> sweeps) {
        Sweep whole = sweeps.getFirst();
        MemoryFloor floor = sweeps.stream()
                .map(Sweep::floor)
                .min(Comparator.comparingLong(MemoryFloor::bytes))
                .orElseThrow();
        List<Column> columns = IntStream.range(0, whole.columns().size())
                .mapToObj(i -> new Column(
                        whole.columns().get(i).strategy(),
                        sweeps.stream()
                                .flatMap(sweep -> sweep.columns().get(i).points().stream())
                                .toList()))
                .toList();
        List<Long> bounds = IntStream.range(0, whole.bounds().size())
                .mapToObj(i -> least(sweeps, i))
                .toList();
        return new Sweep(whole.keepAll(), floor, whole.baselineCost(), whole.budgets(), columns, bounds);
    }

    /** Of those that have plans within the budget at all. */
    private static long least(List<Sweep> sweeps, int budget) {
        Stream<Sweep> possible = sweeps.stream()
                .filter(sweep -> sweep.floor().bytes() <= sweep.budgets().get(budget));
        return possible.mapToLong(sweep -> sweep.bounds().get(budget))
                .min()
                .orElseGet(() -> sweeps.getFirst().bounds().get(budget));
    }
}
