package dev.remat.compiler;

import dev.remat.compiler.plan.PlannerOptions.Effort;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;

/**
 * What a caller may choose about a compilation.
 *
 * @param purpose what the step is for
 * @param symbols extent of every symbol of the model
 * @param strategy name of a planning strategy; empty: {@code auto} with a budget, and {@code keep-all} without one
 * @param budgetBytes upper bound on the arena
 * @param effort how long to search for a plan
 * @param seed replaces the model's
 * @param doublePrecision computes every float in f64, for checking gradients
 * @param dumpDir where every stage leaves its text
 */
public record CompileOptions(
        Purpose purpose,
        SequencedMap<String, Long> symbols,
        Optional<String> strategy,
        OptionalLong budgetBytes,
        Effort effort,
        OptionalLong seed,
        boolean doublePrecision,
        Optional<Path> dumpDir) {
    /** What a step is for. */
    public enum Purpose {
        /** Forward, backward and optimizer. */
        TRAIN,
        /** Forward and backward; gradients are outputs and parameters stay as they are. */
        GRADIENTS,
        /** Forward alone, of a graph elaborated for evaluation. */
        EVALUATE
    }

    /** A training step of a model without symbols, everything retained. */
    public static CompileOptions training() {
        return new CompileOptions(
                Purpose.TRAIN,
                new LinkedHashMap<>(),
                Optional.empty(),
                OptionalLong.empty(),
                Effort.FULL,
                OptionalLong.empty(),
                false,
                Optional.empty());
    }

    public CompileOptions with(Purpose other) {
        return new CompileOptions(other, symbols, strategy, budgetBytes, effort, seed, doublePrecision, dumpDir);
    }

    /** With one more symbol bound. */
    public CompileOptions with(String symbol, long extent) {
        SequencedMap<String, Long> more = new LinkedHashMap<>(symbols);
        more.put(symbol, extent);
        return withSymbols(more);
    }

    public CompileOptions withSymbols(SequencedMap<String, Long> others) {
        return new CompileOptions(purpose, others, strategy, budgetBytes, effort, seed, doublePrecision, dumpDir);
    }

    public CompileOptions withStrategy(String name) {
        return new CompileOptions(
                purpose, symbols, Optional.of(name), budgetBytes, effort, seed, doublePrecision, dumpDir);
    }

    public CompileOptions withBudget(long bytes) {
        return new CompileOptions(
                purpose, symbols, strategy, OptionalLong.of(bytes), effort, seed, doublePrecision, dumpDir);
    }

    public CompileOptions with(Effort other) {
        return new CompileOptions(purpose, symbols, strategy, budgetBytes, other, seed, doublePrecision, dumpDir);
    }

    public CompileOptions withSeed(long other) {
        return new CompileOptions(
                purpose, symbols, strategy, budgetBytes, effort, OptionalLong.of(other), doublePrecision, dumpDir);
    }

    public CompileOptions inDoublePrecision() {
        return new CompileOptions(purpose, symbols, strategy, budgetBytes, effort, seed, true, dumpDir);
    }

    public CompileOptions dumpingTo(Path directory) {
        return new CompileOptions(
                purpose, symbols, strategy, budgetBytes, effort, seed, doublePrecision, Optional.of(directory));
    }
}
