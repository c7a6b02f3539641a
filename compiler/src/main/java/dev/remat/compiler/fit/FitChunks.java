package dev.remat.compiler.fit;

import dev.remat.compiler.ChooseChunks;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.fit.SymbolFit.WholeLosses;
import dev.remat.compiler.model.ModelByExtent;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.MemoryFloor;
import dev.remat.ir.diagnostic.ModelException;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the largest extent of a symbol, from 1 to a limit, whose step fits a budget, with losses cut as is asked for.
 * Where their chunks are left open, the extent is looked for with as many as there may be, since more take no more
 * memory, and its step is then planned with the number that makes it fastest. Losses too small to matter stay whole.
 *
 * @param memory bytes that the arena may take
 * @param options the strategy is always {@code auto}
 * @param listener hears what is tried, beside what the compiler's own is told
 */
record FitChunks(
        ModelByExtent models,
        long limit,
        long memory,
        CompileOptions options,
        Compiler compiler,
        SearchListener listener) {
    /**
     * The answer.
     *
     * @throws BudgetException if no plan of the least extent fits: 1, or one row for each micro-batch
     * @throws ModelException if the model is invalid with that
     */
    SymbolFit run() {
        return run(true).orElseThrow();
    }

    /** The same, and nothing if no plan of the least extent fits. */
    Optional<SymbolFit> ifAny() {
        return run(false);
    }

    private Optional<SymbolFit> run(boolean required) {
        if (!options.chunks().equals(Chunks.AUTO)) {
            return with(options.chunks(), 0).run(limit, required);
        }
        FitSymbol whole = with(Chunks.AS_WRITTEN, 0);
        long ceiling = whole.ceiling(limit);
        FitSymbol cut = with(Chunks.wherePossible(ChooseChunks.counts().getLast()), ceiling);
        if (!matters(whole, cut, Math.max(models.step(), ceiling))) {
            return whole.run(limit, required);
        }
        Optional<SymbolFit> fit = cut.run(limit, false);
        if (fit.isEmpty() || fit.get().extent() <= ceiling) {
            fit = Stream.concat(fit.stream(), whole.run(limit, false).stream())
                    .max(Comparator.comparingLong(SymbolFit::extent));
        }
        return fit.isEmpty() && required
                ? cut.run(limit, true)
                : fit.map(found -> told(found.with(fastest(found)), ceiling, cut));
    }

    private boolean matters(FitSymbol whole, FitSymbol cut, long extent) {
        return whole.step(extent).chunked().isEmpty()
                && (extent + models.step() <= limit || whole.keptBytes(extent) > memory)
                && ChooseChunks.isWorthALook(cut.step(extent), memory);
    }

    /** A plan of the same extent in as many chunks as make its step fastest. */
    private Compilation fastest(SymbolFit fit) {
        PreparedStep chosen = compiler.prepare(models.with(fit.extent()), options.withBudget(memory));
        if (listener.expired() || chosen.chunked().equals(fit.plan().step().chunked())) {
            return fit.plan();
        }
        try {
            Compilation other = compiler.compile(chosen);
            return other.cost() < fit.plan().cost() ? other : fit.plan();
        } catch (BudgetException e) {
            // What was found fits.
            return fit.plan();
        }
    }

    /** With what the next extent needs by any number of chunks. */
    private SymbolFit told(SymbolFit fit, long ceiling, FitSymbol cut) {
        if (fit.next() instanceof NextExtent.Invalid || fit.next() instanceof NextExtent.NotAsked) {
            return fit;
        }
        long next = fit.nextExtent();
        MemoryFloor whole = floor(Chunks.OFF, next);
        MemoryFloor least = Stream.concat(
                        Stream.of(whole),
                        ChooseChunks.counts().stream().map(count -> floor(Chunks.wherePossible(count), next)))
                .min(Comparator.comparingLong(MemoryFloor::bytes))
                .orElseThrow();
        return fit.with(
                switch (fit.next()) {
                    case NextExtent.NotFound found -> new NextExtent.NotFound(least, found.smallestFoundBytes());
                    case NextExtent _ when least.bytes() > memory -> new NextExtent.Impossible(least);
                    case NextExtent _ -> new NextExtent.NotFound(least, cut.keptBytes(next));
                },
                new WholeLosses(ceiling, whole));
    }

    private MemoryFloor floor(Chunks chunks, long extent) {
        return compiler.prepare(models.with(extent), options.with(chunks).withBudget(memory))
                .floor();
    }

    private FitSymbol with(Chunks chunks, long known) {
        return new FitSymbol(models, memory, options.with(chunks), compiler, listener, known);
    }
}
