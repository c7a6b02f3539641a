package dev.remat.compiler.fit;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.model.ModelByExtent;
import dev.remat.compiler.plan.SearchListener;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Finds the largest extent whose step fits each of several ranks, for one number of them after another. */
public final class FitRanks {
    /** The largest extent that fits when so many ranks compute its micro-batches. */
    public record OfRanks(int ranks, SymbolFit fit) {}

    private FitRanks() {}

    /**
     * What fits, in the order of the numbers; none of which not even the least extent fits.
     *
     * @param ranks numbers that divide that of micro-batches
     * @param limit of the extent
     * @param memory bytes that the arena of each rank may take
     * @throws dev.remat.compiler.search.BudgetException if none fits
     * @throws dev.remat.ir.diagnostic.ModelException if the model is invalid with the least extent
     */
    public static List<OfRanks> run(
            ModelByExtent models,
            List<Integer> ranks,
            long limit,
            long memory,
            CompileOptions options,
            Compiler compiler,
            SearchListener listener) {
        List<OfRanks> found = new ArrayList<>();
        for (int number : ranks) {
            if (found.isEmpty() || !listener.expired()) {
                FitSymbol.ifAny(models, limit, memory, options.onRanks(number), compiler, listener)
                        .ifPresent(fit -> found.add(new OfRanks(number, fit)));
            }
        }
        if (found.isEmpty()) {
            int most = Collections.max(ranks);
            found.add(
                    new OfRanks(most, FitSymbol.run(models, limit, memory, options.onRanks(most), compiler, listener)));
        }
        return found;
    }
}
