package dev.remat.compiler.fit;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.model.ModelByExtent;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.diagnostic.ModelException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Finds the largest batch that fits for one number of micro-batches after another. With enough of them any batch fits,
 * so that the question is how fast a step goes through its rows: numbers are doubled until that falls.
 */
public final class FitMicroBatches {
    private static final int MOST = 16;

    /** The largest batch that fits when it is cut into {@code microBatches}. */
    public record Rate(int microBatches, SymbolFit fit) {
        /** What a row costs. */
        public double costOfRow() {
            return (double) fit.plan().cost() / fit.extent();
        }
    }

    private FitMicroBatches() {}

    /**
     * What was looked at, by ascending number; none that cannot be cut, or of which not even a row fits.
     *
     * @param symbol whose extent is looked for
     * @param limit of the extent
     * @throws dev.remat.compiler.search.BudgetException if nothing fits though the batch is whole
     * @throws ModelException if the model is wrong though its batch is whole
     */
    public static List<Rate> run(
            ModelSession model,
            String symbol,
            long limit,
            long memory,
            CompileOptions options,
            Compiler compiler,
            SearchListener listener) {
        List<Rate> rates = new ArrayList<>();
        for (int count = 1; count <= MOST && count <= limit; count *= 2) {
            Optional<SymbolFit> fit;
            try {
                ModelByExtent cut = model.cutInto(count).byExtent(symbol);
                FitChunks chunks = new FitChunks(cut, limit, memory, options, compiler, listener);
                fit = count == 1 ? Optional.of(chunks.run()) : chunks.ifAny();
            } catch (ModelException e) {
                if (count == 1) {
                    throw e;
                }
                break;
            }
            if (fit.isEmpty()) {
                break;
            }
            Rate rate = new Rate(count, fit.get());
            boolean falls =
                    !rates.isEmpty() && rate.costOfRow() > fastest(rates).costOfRow();
            rates.add(rate);
            if (falls || listener.expired()) {
                break;
            }
        }
        return rates;
    }

    /** The one whose rows cost least; of equals the first. */
    public static Rate fastest(List<Rate> rates) {
        return rates.stream().min(Comparator.comparingDouble(Rate::costOfRow)).orElseThrow();
    }
}
