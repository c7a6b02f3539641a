package dev.remat.compiler.fit;

import dev.remat.compiler.CandidatePlan;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.FitArena;
import dev.remat.compiler.UnplannedStep;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.KeepAll;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * Finds the largest extent of a symbol whose step fits a budget, where a larger extent takes no less memory.
 *
 * <p>Floors say which extents are impossible. Of the others the largest is planned. Where no plan fits, the smallest
 * one found is taken to smaller extents, whose graphs are the same, until its arena fits; between the two, extents are
 * halved and planned.
 */
public final class FitSymbol {
    private final String symbol;
    private final LongFunction<ElaboratedModel> models;
    private final CompileOptions options;
    private final Compiler compiler;
    private final SearchListener listener;
    private final long memory;
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

    private UnplannedStep step;
    private long stepExtent;
    private int steps;

    private FitSymbol(
            String symbol,
            LongFunction<ElaboratedModel> models,
            CompileOptions options,
            Compiler compiler,
            SearchListener listener) {
        this.symbol = symbol;
        this.models = models;
        this.options = options;
        this.compiler = compiler;
        this.listener = listener;
        this.memory = options.budgetBytes().orElseThrow();
    }

    /**
     * The answer for extents from 1 to {@code limit}.
     *
     * @param models the model by extent
     * @param options with a budget, and with the extents of all other symbols; the strategy is always {@code auto}
     * @throws dev.remat.compiler.BudgetException if no plan of extent 1 fits
     * @throws ModelException if the model is invalid with extent 1
     */
    public static SymbolFit run(
            String symbol,
            long limit,
            LongFunction<ElaboratedModel> models,
            CompileOptions options,
            Compiler compiler,
            SearchListener listener) {
        return new FitSymbol(symbol, models, options, compiler, listener).run(limit);
    }

    private SymbolFit run(long limit) {
        long ceiling = LargestExtent.find(1, limit, memory, this::floor);
        long kept = ceiling < 1 ? 0 : LargestExtent.find(1, ceiling, memory, this::keepAllBytes);
        SymbolFit.KeepAll keepAll = kept == 0 ? new SymbolFit.KeepAll(0, 0, 0) : keepAll(kept);
        long extent = Math.max(1, largest(kept, ceiling));
        Compilation plan = compile(extent);
        return new SymbolFit(extent, plan, keepAll, beyond(extent, limit), steps);
    }

    private UnplannedStep step(long extent) {
        if (step == null || stepExtent != extent) {
            listener.trying("compiling with " + symbol + "=" + extent);
            step = compiler.prepare(models.apply(extent), options.with(symbol, extent));
            stepExtent = extent;
            steps++;
        }
        return step;
    }

    private long floor(long extent) {
        return floors.computeIfAbsent(extent, size -> {
            try {
                return step(size).floor().bytes();
            } catch (ModelException e) {
                if (size == 1) {
                    throw e;
                }
                invalid.put(size, e.diagnostics().getFirst().message());
                return Long.MAX_VALUE;
            }
        });
    }

    private long keepAllBytes(long extent) {
        return carryThroughKeptWhole(extent).arenaBytes();
    }

    private SymbolFit.KeepAll keepAll(long extent) {
        CandidatePlan plan = carryThroughKeptWhole(extent);
        return new SymbolFit.KeepAll(
                extent, plan.arenaBytes(), plan.evaluation().cost());
    }

    private CandidatePlan carryThroughKeptWhole(long extent) {
        RematProblem problem = step(extent).problem();
        return step(extent).carryThrough(Proposal.of(problem, new KeepAll().plan(problem, PlannerOptions.none())));
    }

    /** The largest extent found to fit from {@code low}, which fits without recomputation, to {@code ceiling}. */
    private long largest(long low, long ceiling) {
        long high = ceiling + 1;
        long next = ceiling;
        while (high - low > 1) {
            Proposal found = plan(next);
            if (smallest.containsKey(next)) {
                high = next;
                low = transferred(found, low, high);
            } else {
                low = next;
                fits(found.sequence(), true);
            }
            next = low + (high - low) / 2;
        }
        return low;
    }

    /** A plan that fits; if none is found, the smallest found, and it is noted how small. */
    private Proposal plan(long extent) {
        RematProblem problem = step(extent).problem();
        PlannerOptions asked = PlannerOptions.none().with(options.effort()).telling(listener.withoutProofs());
        FitArena.Outcome outcome = FitArena.run(
                problem.nodeCount(),
                asked.within(memory),
                within -> Proposal.of(problem, Strategies.auto().plan(problem, within)),
                proposal -> step(extent).carryThrough(proposal).arenaBytes());
        if (outcome.arenaBytes() <= memory) {
            return outcome.proposal();
        }
        Proposal unbounded = Proposal.of(problem, Strategies.auto().plan(problem, asked.with(Effort.QUICK)));
        long unboundedBytes = step(extent).carryThrough(unbounded).arenaBytes();
        if (unboundedBytes > memory) {
            smallest.put(extent, Math.min(unboundedBytes, outcome.arenaBytes()));
        }
        return unboundedBytes < outcome.arenaBytes() ? unbounded : outcome.proposal();
    }

    /** The largest extent between the two at which the sequence's arena fits, or {@code low}. */
    private long transferred(Proposal found, long low, long high) {
        if (high - low < 2) {
            return low;
        }
        RematProblem from = step(high).problem();
        OperatorSequence sequence = found.sequence();
        long largest = LargestExtent.find(
                low + 1,
                high - 1,
                memory,
                extent -> TransferSequence.run(from, sequence, step(extent).problem())
                        .map(proposal -> step(extent).carryThrough(proposal).arenaBytes())
                        .orElse(Long.MAX_VALUE));
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
        if (fitting.isEmpty()) {
            return compiler.compile(step(extent));
        }
        if (!planned) {
            fitting.add(plan(extent).sequence());
        }
        return compiler.compile(step(extent), fitting);
    }

    private Beyond beyond(long extent, long limit) {
        if (extent == limit) {
            return new Beyond.NotAsked();
        }
        long next = extent + 1;
        if (floor(next) == Long.MAX_VALUE) {
            return new Beyond.Invalid(invalid.get(next));
        }
        return floor(next) > memory
                ? new Beyond.Impossible(step(next).floor())
                : new Beyond.NotFound(step(next).floor(), smallest.computeIfAbsent(next, this::keepAllBytes));
    }
}
