package dev.remat.compiler.fit;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.choose.ChooseSharding;
import dev.remat.compiler.model.ModelByExtent;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds the largest extent whose step fits each of several ranks, for one number of them after another. */
public final class FitRanks {
    /** The largest extent that fits when so many ranks compute its micro-batches. */
    public record OfRanks(int ranks, SymbolFit fit) {}

    private final ModelByExtent models;
    private final CompileOptions options;
    private final Compiler compiler;
    private final Optional<Link> link;
    private final SearchListener listener;

    private FitRanks(
            ModelByExtent models,
            CompileOptions options,
            Compiler compiler,
            Optional<Link> link,
            SearchListener listener) {
        this.models = models;
        this.options = options;
        this.compiler = compiler;
        this.link = link;
        this.listener = listener;
    }

    /**
     * What fits, in the order of the numbers; none of which not even the least extent fits. Where options leave open
     * what ranks share, the largest extent that fits by any level, and what is fastest with it.
     *
     * @param ranks numbers that divide that of micro-batches
     * @param limit of the extent
     * @param memory bytes that the arena of each rank may take
     * @param link that ranks exchange over, if that is known
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
            Optional<Link> link,
            SearchListener listener) {
        FitRanks fits = new FitRanks(models, options.withBudget(memory), compiler, link, listener);
        List<OfRanks> found = new ArrayList<>();
        for (int number : ranks) {
            if (found.isEmpty() || !listener.expired()) {
                fits.fit(number, limit, memory).ifPresent(fit -> found.add(new OfRanks(number, fit)));
            }
        }
        if (found.isEmpty()) {
            int most = Collections.max(ranks);
            CompileOptions asked = options.onRanks(most).with(fits.levels(most).getFirst());
            found.add(new OfRanks(most, new FitChunks(models, limit, memory, asked, compiler, listener).run()));
        }
        return found;
    }

    private List<Sharding> levels(int ranks) {
        Sharding asked = options.shares().level();
        return asked == Sharding.AUTO && ranks > 1 ? ChooseSharding.LEVELS : List.of(asked);
    }

    private Optional<SymbolFit> fit(int ranks, long limit, long memory) {
        CompileOptions onRanks = options.onRanks(ranks);
        List<Sharding> levels = levels(ranks);
        List<SymbolFit> found = new ArrayList<>();
        for (Sharding level : levels) {
            if (found.isEmpty() || !listener.expired()) {
                Compiler priced = level.sharesParameters() ? compiler.over(link) : compiler;
                new FitChunks(models, limit, memory, onRanks.with(level), priced, listener)
                        .ifAny()
                        .ifPresent(found::add);
            }
        }
        Optional<SymbolFit> largest = found.stream().max(Comparator.comparingLong(SymbolFit::extent));
        return levels.size() == 1 || listener.expired() ? largest : largest.map(fit -> fastest(fit, onRanks));
    }

    /** The same extent with whatever shares make a step of it fastest. */
    private SymbolFit fastest(SymbolFit fit, CompileOptions asked) {
        return fit.with(ChooseSharding.compile(compiler, models.with(fit.extent()), asked, link));
    }
}
