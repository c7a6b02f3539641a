package dev.remat.compiler.fit;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.RealizedPlan;
import dev.remat.compiler.model.ModelByExtent;
import dev.remat.compiler.plan.Planner;
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
 * planned one by one, at growing distances while they fit.
 */
final class FitSymbol {
    /** Follows a budget byte by byte, at once. */
    private static final String QUICKEST = "peak-priority";

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

    /** Extents up to this one are known to have floors that fit, as those of larger steps did. */
    private final long known;

    private Optional<Trial> latest = Optional.empty();
    private long latestExtent;
    private int steps;

    /**
     * @param memory bytes that the arena may take
     * @param options the strategy is always {@code auto}, and the number of chunks no question
     * @param listener hears what is tried, beside what the compiler's own is told
     * @param known an extent below which floors are known to fit, or 0
     */
    FitSymbol(
            ModelByExtent models,
            long memory,
            CompileOptions options,
            Compiler compiler,
            SearchListener listener,
            long known) {
        this.models = models;
        this.known = known / models.step();
        this.unit = models.step();
        this.memory = memory;
        this.options = options.withBudget(memory);
        this.compiler = compiler;
        this.listener = listener;
    }

    /** The largest extent up to {@code most} whose floor fits; 0 if there is none. */
    long ceiling(long most) {
        return largestFloor(limit(most)) * unit;
    }

    private long limit(long most) {
        return Math.max(1, most / unit);
    }

    private long largestFloor(long limit) {
        long least = Math.clamp(known, 1, limit);
        long found = LargestExtent.find(least, limit, memory, this::floor, listener::expired);
        return found >= least || least == 1
                ? found
                : LargestExtent.find(1, least, memory, this::floor, listener::expired);
    }

    /**
     * The answer for extents from 1 to {@code most}.
     *
     * @param required whether the least extent, 1 or one row for each micro-batch, is planned though nothing fits, so
     *     that the search says why; else there is no answer
     * @throws dev.remat.compiler.search.BudgetException if it is required and does not fit
     * @throws ModelException if the model is invalid with that
     */
    Optional<SymbolFit> run(long most, boolean required) {
        long limit = limit(most);
        long ceiling = largestFloor(limit);
        long kept = ceiling < 1
                ? 0
                : LargestExtent.find(
                        1, ceiling, memory, extent -> keepAll(extent).bytes(), listener::expired);
        SymbolFit.KeepAll keepAll = kept == 0 ? new SymbolFit.KeepAll(0, 0, 0) : whole(kept);
        long extent = Math.max(required ? 1 : 0, largest(kept, ceiling));
        if (extent == 0) {
            return Optional.empty();
        }
        Compilation plan = compile(extent);
        return Optional.of(
                new SymbolFit(extent * unit, plan, keepAll, unit, next(extent, limit), Optional.empty(), steps));
    }

    /** A step of the extent, prepared. */
    PreparedStep step(long extent) {
        return trial(extent / unit).step();
    }

    /** What keeping everything takes with the extent. */
    long keptBytes(long extent) {
        return keepAll(extent / unit).bytes();
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

    /**
     * The largest extent found to fit from {@code kept}, which fits without recomputation, to {@code ceiling}, give or
     * take a hundredth. Searches that fail take longest. So the quickest strategy
     * goes first, and what it finds is taken as far as it fits: mostly little more then fits by any.
     */
    private long largest(long kept, long ceiling) {
        long low = ceiling > kept ? quickly(kept, ceiling) : kept;
        long high = ceiling + 1;
        long stride = missed(low);
        long next = low > kept ? low + stride : ceiling;
        while (high - low > missed(low) && !(low > 0 && listener.expired())) {
            next = Math.min(next, high - 1);
            long before = low;
            OperatorSequence found = plan(next, Strategies.auto());
            if (smallest.containsKey(next)) {
                high = next;
                low = transferred(found, low, high);
                stride = low > before ? missed(low) : (high - low) / 2;
            } else {
                low = next;
                fits(found, true);
                stride = Math.min(2 * stride, (high - low) / 2);
            }
            next = listener.expired() ? low + 1 : low + Math.max(1, stride);
        }
        return inched(low, high);
    }

    /** How many extents beyond one are not searched by themselves, the next included. */
    private long missed(long extent) {
        return moves() ? 1 : Math.max(1, extent / 100);
    }

    /** As far as the quickest strategy still fits the next extent, so that this is known not to. */
    private long inched(long low, long high) {
        long fits = low;
        long fails = high;
        long next = low + 1;
        while (fails - fits > 1 && fits > 0 && !moves() && !listener.expired()) {
            OperatorSequence found = plan(next, Strategies.named(QUICKEST));
            if (smallest.containsKey(next)) {
                fails = next;
            } else {
                fits = next;
                fits(found, false);
            }
            next = fits + Math.max(1, (fails - fits) / 2);
        }
        return fits;
    }

    private boolean moves() {
        return !options.below().isNothing();
    }

    /** As far as the quickest strategy gets, where nothing moves. */
    private long quickly(long low, long ceiling) {
        if (moves() || listener.expired()) {
            return low;
        }
        OperatorSequence found = plan(ceiling, Strategies.named(QUICKEST));
        if (!smallest.containsKey(ceiling)) {
            fits(found, false);
            return ceiling;
        }
        return transferred(found, low, ceiling);
    }

    /** A plan that fits; if none is found, the smallest found, and it is noted how small. */
    private OperatorSequence plan(long extent, Planner strategy) {
        RealizedPlan plan = trial(extent).search().fit(strategy, memory).plan();
        if (plan.bytes() > memory) {
            smallest.put(extent, plan.bytes());
        } else {
            smallest.remove(extent);
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
            fitting.add(plan(extent, Strategies.auto()));
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
