package dev.remat.compiler.sweep;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.choose.ChooseSharding;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetException;
import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The plans of one step for several numbers of ranks, and of each for several budgets of a rank.
 *
 * @param rows in the order of the numbers, of each in the order of the budgets
 */
public record RankSweep(List<Row> rows) {
    /**
     * A plan.
     *
     * @param budget empty without one
     * @param plan empty if none fits
     */
    public record Row(int ranks, Optional<Budget> budget, Optional<Compilation> plan) {}

    public RankSweep {
        rows = List.copyOf(rows);
    }

    /**
     * @param ranks numbers that divide that of micro-batches
     * @param budgets of each rank; none for what is planned without one
     * @param link that ranks exchange over, if that is known
     * @param listener ends the sweep when time is up, of which the first number is always planned
     */
    public static RankSweep run(
            Compiler compiler,
            ElaboratedModel model,
            CompileOptions options,
            List<Integer> ranks,
            List<Budget> budgets,
            Optional<Link> link,
            SearchListener listener) {
        List<Optional<Budget>> within = budgets.isEmpty()
                ? List.of(Optional.empty())
                : budgets.stream().map(Optional::of).toList();
        List<Row> rows = new ArrayList<>();
        for (int number : ranks) {
            if (rows.isEmpty() || !listener.expired()) {
                listener.trying("compiling for " + number + (number == 1 ? " rank" : " ranks"));
                CompileOptions onRanks = options.onRanks(number);
                within.forEach(budget -> rows.add(new Row(
                        number,
                        budget,
                        plan(compiler, model, budget.map(onRanks::with).orElse(onRanks), link))));
            }
        }
        return new RankSweep(rows);
    }

    private static Optional<Compilation> plan(
            Compiler compiler, ElaboratedModel model, CompileOptions options, Optional<Link> link) {
        try {
            return Optional.of(ChooseSharding.compile(compiler, model, options, link));
        } catch (BudgetException e) {
            // A row says so: other numbers of ranks, or another budget, may fit.
            return Optional.empty();
        }
    }
}
