package dev.remat.compiler.fit;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.RealizedPlan;
import dev.remat.compiler.model.ModelByExtent;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetSearch;
import dev.remat.compiler.search.MemoryFloor;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Finds the largest extent of a symbol whose step fits a budget, where a larger extent takes no less memory.
 *
 * <p>Floors say which extents are impossible. Of the others the largest is planned. Where no plan fits, the smallest
 * one found is taken to smaller extents, whose graphs are the same, until its arena fits; between the two, extents are
 * halved and planned.
 */
public final class FitSymbol {
    /** A step of one extent, and what was found of its plans. */
    private record Trial(PreparedStep step, BudgetSearch<RealizedPlan> search) {
        RematProblem problem() {
            return step.planning().problem();
        }
    }

    private final ModelByExtent models;
    private final CompileOptions options;
    private final Compiler compiler;
    private final SearchListener listener;
    private final long memory;
    /** What extents are reckoned in here. */
    private final int unit;
    /** Floors by extent; where a model is invalid, more than there can be. */
    private final Map<Long, Long> floors = new TreeMap<>();
    /** Messages by extent of models that are invalid. */
    private final Map<Long, String> invalid = new TreeMap<>();
    /** Arenas by extent of the smallest plans found, where none fits. */
    private final Map<Long, Long> smallest = new TreeMap<>();
    /** Sequences that fit the largest extent found so far, if that needs recomputation. */
    private final List<OperatorSequence> fitting = new ArrayList<>();
    /** Whether one of them was searched for that extent, rather than for a larger one. */
    private boolean planned;

    private Optional<Trial> latest = Optional.empty();
    private long latestExtent;
    private int steps;

    private FitSymbol(
            ModelByExtent models, long memory, CompileOptions options, Compiler compiler, SearchListener listener) {
        this.models = models;
        this.unit = models.step();
        this.memory = memory;
        this.options = options.withBudget(memory);
        this.compiler = compiler;
        this.listener = listener;
    }

    /**
     * The answer for extents from 1 to {@code limit}.
     *
     * @param memory bytes that the arena may take
     * @param options the strategy is always {@code auto}
     * @param listener hears what is tried, beside what the compiler's own is told
     * @throws dev.remat.compiler.search.BudgetException if no plan of the least extent fits: 1, or one row for each
     *     micro-batch
     * @throws ModelException if the model is invalid with that
     */
    public static SymbolFit run(
            ModelByExtent models,
            long limit,
            long memory,
            CompileOptions options,
            Compiler compiler,
            SearchListener listener) {
        return new FitSymbol(models, memory, options, compiler, listener)
                .run(limit, 1)
                .orElseThrow();
    }

    /** The same, and nothing if no plan of the least extent fits. */
    static Optional<SymbolFit> ifAny(
            ModelByExtent models,
            long limit,
            long memory,
            CompileOptions options,
            Compiler compiler,
            SearchListener listener) {
        return new FitSymbol(models, memory, options, compiler, listener).run(limit, 0);
    }

    /** @param least extent that is planned though nothing fits, so that the search says why; 0 for none */
    private Optional<SymbolFit> run(long most, long least) {
        long limit = Math.max(1, most / unit);
        long ceiling = LargestExtent.find(1, limit, memory, this::floor, listener::expired);
        long kept = ceiling < 1
                ? 0
                : LargestExtent.find(
                        1, ceiling, memory, extent -> keepAll(extent).bytes(), listener::expired);
        SymbolFit.KeepAll keepAll = kept == 0 ? new SymbolFit.KeepAll(0, 0, 0) : whole(kept);
        long extent = Math.max(least, largest(kept, ceiling));
        if (extent == 0) {
            return Optional.empty();
        }
        Compilation plan = compile(extent);
        return Optional.of(new SymbolFit(extent * unit, plan, keepAll, unit, next(extent, limit), steps));
    }

    private Trial trial(long extent) {
        if (latest.isEmpty() || latestExtent != extent) {
            listener.trying("compiling with " + models.symbol() + "=" + extent * unit);
            PreparedStep step = compiler.prepare(models.with(extent * unit), options);
            latest = Optional.of(new Trial(step, compiler.search(step)));
            latestExtent = extent;
            steps++;
        }
        return latest.get();
    }

    private MemoryFloor provenFloor(long extent) {
        return trial(extent).step().floor();
    }

    private long floor(long extent) {
        return floors.computeIfAbsent(extent, size -> {
            try {
                return provenFloor(size).bytes();
            } catch (ModelException e) {
                if (size == 1) {
                    throw e;
                }
                invalid.put(size, e.diagnostics().getFirst().message());
                return Long.MAX_VALUE;
            }
        });
    }

    private RealizedPlan keepAll(long extent) {
        return trial(extent).search().keepAll();
    }

    private SymbolFit.KeepAll whole(long extent) {
        RealizedPlan plan = keepAll(extent);
        long cost = trial(extent).step().cost(plan.evaluation().cost());
        return new SymbolFit.KeepAll(extent * unit, plan.bytes(), cost);
    }

    /** The largest extent found to fit from {@code low}, which fits without recomputation, to {@code ceiling}. */
    private long largest(long low, long ceiling) {
        long high = ceiling + 1;
        long next = ceiling;
        while (high - low > 1 && !(low > 0 && listener.expired())) {
            OperatorSequence found = plan(next);
            if (smallest.containsKey(next)) {
                high = next;
                low = transferred(found, low, high);
            } else {
                low = next;
                fits(found, true);
            }
            next = listener.expired() ? low + 1 : low + (high - low) / 2;
        }
        return low;
    }

    /** A plan that fits; if none is found, the smallest found, and it is noted how small. */
    private OperatorSequence plan(long extent) {
        RealizedPlan plan =
                trial(extent).search().fit(Strategies.auto(), memory).plan();
        if (plan.bytes() > memory) {
            smallest.put(extent, plan.bytes());
        }
        return plan.sequence();
    }

    /** The largest extent between the two at which the sequence's arena fits, or {@code low}. */
    private long transferred(OperatorSequence sequence, long low, long high) {
        if (high - low < 2) {
            return low;
        }
        RematProblem from = trial(high).problem();
        long largest = LargestExtent.find(
                low + 1,
                high - 1,
                memory,
                extent -> TransferSequence.run(from, sequence, trial(extent).problem())
                        .map(proposal ->
                                trial(extent).search().measure(proposal).bytes())
                        .orElse(Long.MAX_VALUE),
                listener::expired);
        if (largest > low) {
            fits(sequence, false);
        }
        return largest;
    }

    private void fits(OperatorSequence sequence, boolean wasPlanned) {
        fitting.clear();
        fitting.add(sequence);
        planned = wasPlanned;
    }

    private Compilation compile(long extent) {
        PreparedStep step = trial(extent).step();
        if (fitting.isEmpty()) {
            return compiler.compile(
                    step, search -> search.run(Optional.empty(), Optional.of(new Budget.Bytes(memory))));
        }
        if (!planned) {
            fitting.add(plan(extent));
        }
        return compiler.compile(step, search -> search.among(fitting, memory));
    }

    private NextExtent next(long extent, long limit) {
        long next = extent + 1;
        boolean late = !floors.containsKey(next) && listener.expired();
        if (extent == limit || late) {
            return new NextExtent.NotAsked(extent < limit);
        }
        if (floor(next) == Long.MAX_VALUE) {
            return new NextExtent.Invalid(invalid.get(next));
        }
        return floor(next) > memory
                ? new NextExtent.Impossible(provenFloor(next))
                : new NextExtent.NotFound(
                        provenFloor(next),
                        smallest.computeIfAbsent(next, size -> keepAll(size).bytes()));
    }
}
