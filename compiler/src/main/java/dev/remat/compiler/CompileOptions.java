package dev.remat.compiler;

import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.ranks.Shares;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.search.Budget;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a caller may choose about a compilation.
 *
 * @param strategy empty: {@code auto} with a budget, and {@code keep-all} without one
 * @param budget upper bound on the arena
 * @param below what lies below the arena, and what may be moved there
 * @param effort how long to search for a plan
 * @param dumpDir where every stage leaves its text
 * @param ranks that compute the micro-batches of a training step side by side; 1 leaves them to one
 * @param shares what of the state these hold in shares
 * @param chunks how losses are cut
 */
public record CompileOptions(
        Optional<Planner> strategy,
        Optional<Budget> budget,
        Below below,
        Effort effort,
        Optional<Path> dumpDir,
        int ranks,
        Shares shares,
        Chunks chunks) {
    /** Everything retained. */
    public static CompileOptions defaults() {
        return new CompileOptions(
                Optional.empty(),
                Optional.empty(),
                Below.NOTHING,
                Effort.NORMAL,
                Optional.empty(),
                1,
                Shares.of(Sharding.NONE),
                Chunks.AS_WRITTEN);
    }

    /** @throws IllegalArgumentException if there is no strategy of that name */
    public CompileOptions withStrategy(String name) {
        return with(Strategies.named(name));
    }

    public CompileOptions with(Planner other) {
        return new CompileOptions(Optional.of(other), budget, below, effort, dumpDir, ranks, shares, chunks);
    }

    public CompileOptions withBudget(long bytes) {
        return with(new Budget.Bytes(bytes));
    }

    /** The budget, unless it is a share of what only keeping everything tells. */
    public OptionalLong budgetBytes() {
        return budget.isPresent() && budget.get() instanceof Budget.Bytes(long bytes)
                ? OptionalLong.of(bytes)
                : OptionalLong.empty();
    }

    public CompileOptions with(Budget other) {
        return new CompileOptions(strategy, Optional.of(other), below, effort, dumpDir, ranks, shares, chunks);
    }

    public CompileOptions with(Effort other) {
        return new CompileOptions(strategy, budget, below, other, dumpDir, ranks, shares, chunks);
    }

    public CompileOptions with(Below other) {
        return new CompileOptions(strategy, budget, other, effort, dumpDir, ranks, shares, chunks);
    }

    /** The same, for an answer that is found in seconds, without texts of its stages. */
    public CompileOptions quick() {
        return new CompileOptions(strategy, budget, below, Effort.QUICK, Optional.empty(), ranks, shares, chunks);
    }

    /**
     * The same for several ranks.
     *
     * @throws IllegalArgumentException if there is none
     */
    public CompileOptions onRanks(int number) {
        if (number < 1) {
            throw new IllegalArgumentException(number + " ranks");
        }
        return new CompileOptions(strategy, budget, below, effort, dumpDir, number, shares, chunks);
    }

    /** The same where ranks share so much of the state. */
    public CompileOptions with(Sharding other) {
        return with(Shares.of(other));
    }

    /** The same where ranks share this of the state. */
    public CompileOptions with(Shares other) {
        return new CompileOptions(strategy, budget, below, effort, dumpDir, ranks, other, chunks);
    }

    /** The same with losses cut otherwise. */
    public CompileOptions with(Chunks other) {
        return new CompileOptions(strategy, budget, below, effort, dumpDir, ranks, shares, other);
    }
}
