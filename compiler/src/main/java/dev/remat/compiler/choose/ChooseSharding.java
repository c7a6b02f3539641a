package dev.remat.compiler.choose;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.account.ExchangeTimes;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.choose.GatheredParameters.Gathered;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.eviction.PeakPriority;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.ranks.Shares;
import dev.remat.compiler.search.BudgetException;
import dev.remat.ir.target.Link;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What ranks share of the state so that a step is fastest within its budget, waiting for exchanges included: first one
 * level for all buckets, then parameters of some in shares and of others whole. Each is planned with all that may be
 * recomputed and moved, and of equally fast ones the first is taken.
 *
 * <p>Which parameters are whole is sought along two orders of buckets: those first whose gathers are waited for longest
 * by the byte, and those first that are read last, which lie in the arena at its peak anyway. Quick plans say how far
 * to go along which, and a plan of the usual effort is made of what they find.
 */
public final class ChooseSharding {
    /** Those whose plans differ: the usual one first, and the one last that takes most. */
    public static final List<Sharding> LEVELS = List.of(Sharding.OPTIMIZER, Sharding.PARAMETERS, Sharding.NONE);

    /** An order of buckets is followed in such parts. */
    private static final int PARTS = 8;

    /**
     * Shares with their plan.
     *
     * @param cost of a step, waiting for exchanges included
     */
    public record Tried(Shares shares, Compilation plan, double cost) {}

    /**
     * What was found.
     *
     * @param fitting in the order in which they were tried, of which the fastest is chosen
     * @param least what no plan within the budget costs less than, whatever its ranks share, as far as bounds go
     */
    public record Choice(List<Tried> fitting, double least) {
        public Choice {
            fitting = List.copyOf(fitting);
        }

        public Tried chosen() {
            return fastest(fitting);
        }
    }

    private final Compiler compiler;
    private final ElaboratedModel model;
    private final Optional<Link> link;
    private final List<Tried> fitting = new ArrayList<>();
    private CompileOptions options;
    private double least = Double.MAX_VALUE;

    private ChooseSharding(Compiler compiler, ElaboratedModel model, CompileOptions options, Optional<Link> link) {
        this.compiler = compiler;
        this.model = model;
        this.options = options;
        this.link = link;
    }

    /**
     * The plan of a step whose ranks share what its options say, or if these leave it open, what is fastest.
     *
     * @throws BudgetException if none fits
     */
    public static Compilation compile(
            Compiler compiler, ElaboratedModel model, CompileOptions options, Optional<Link> link) {
        boolean open = options.shares().level() == Sharding.AUTO && options.ranks() > 1;
        return open
                ? run(compiler, model, options, link).chosen().plan()
                : new ChooseSharding(compiler, model, options, link).plan(options, options.shares());
    }

    /**
     * @param options a share of what keeping everything takes is one of what it takes at the first level
     * @param link that ranks exchange over, if that is known
     * @throws BudgetException if no level fits: that of the one that takes least
     */
    public static Choice run(Compiler compiler, ElaboratedModel model, CompileOptions options, Optional<Link> link) {
        ChooseSharding choose = new ChooseSharding(compiler, model, options, link);
        choose.tryLevels();
        choose.fitting.stream()
                .filter(each -> each.shares().level() == Sharding.PARAMETERS)
                .findFirst()
                .ifPresent(choose::mix);
        return new Choice(choose.fitting, choose.least);
    }

    private static Tried fastest(List<Tried> tried) {
        Tried best = tried.getFirst();
        for (Tried each : tried) {
            best = each.cost() < best.cost() ? each : best;
        }
        return best;
    }

    private void tryLevels() {
        Optional<BudgetException> refused = Optional.empty();
        for (Sharding level : LEVELS) {
            try {
                Compilation plan = plan(options, Shares.of(level));
                fitting.add(new Tried(Shares.of(level), plan, cost(plan)));
                least = Math.min(least, level == Sharding.PARAMETERS ? ofMixes(plan) : ofLevel(plan));
                within(plan.search().budgetBytes());
            } catch (BudgetException e) {
                within(OptionalLong.of(e.budgetBytes()));
                boolean less = refused.isEmpty()
                        || e.smallestFoundBytes() < refused.get().smallestFoundBytes();
                refused = less ? Optional.of(e) : refused;
            }
        }
        if (fitting.isEmpty()) {
            throw refused.orElseThrow();
        }
    }

    private void within(OptionalLong budgetBytes) {
        if (budgetBytes.isPresent()) {
            options = options.withBudget(budgetBytes.getAsLong());
        }
    }

    /**
     * Strategies see no kernel run beside an exchange, so that what they reckon is dearer may wait for less. Where they
     * are not told which to follow, one that takes a moment is held against what they find.
     */
    private Compilation plan(CompileOptions within, Shares shares) {
        Compiler priced = shares.level().sharesParameters() ? compiler.over(link) : compiler;
        CompileOptions asked = within.with(shares);
        Compilation found = priced.compile(model, asked);
        boolean waits = times(found).filter(times -> times.waited() > 0).isPresent();
        if (!isOpen(asked) || !waits || compiler.expired()) {
            return found;
        }
        try {
            Compilation other = priced.compile(model, within(found, asked).with(new PeakPriority()));
            return cost(other) < cost(found) ? other : found;
        } catch (BudgetException e) {
            return found;
        }
    }

    /** Whether there is a budget that any strategy may be asked to keep, and nothing but to compute again. */
    private static boolean isOpen(CompileOptions options) {
        return options.strategy().isEmpty()
                && options.budget().isPresent()
                && options.below().isNothing();
    }

    private static CompileOptions within(Compilation plan, CompileOptions asked) {
        return asked.withBudget(plan.search().budgetBytes().orElseThrow());
    }

    private double cost(Compilation plan) {
        return times(plan).map(ExchangeTimes::nanos).orElse((double) plan.cost());
    }

    private Optional<ExchangeTimes> times(Compilation plan) {
        return ExchangeTimes.of(PlanAccount.of(plan, link));
    }

    /** Exchanges that nothing waits for take no time. */
    private double ofLevel(Compilation plan) {
        double bound = plan.baselineCost() * (1 + plan.lowerBoundOverhead());
        double alone = times(plan).map(ExchangeTimes::alone).orElse((double) plan.cost());
        return Math.min(bound, alone);
    }

    private double ofMixes(Compilation plan) {
        return Math.min(ofLevel(plan), SharingBound.of(plan, SearchListener.NONE));
    }

    /** Looks for parameters to hold whole where others are in shares. */
    private void mix(Tried shared) {
        List<Gathered> gathered = GatheredParameters.of(shared.plan(), times(shared.plan()));
        if (gathered.size() < 2 || fastest(fitting).cost() <= least) {
            return;
        }
        Map<Shares, OptionalDouble> tried = new LinkedHashMap<>();
        for (List<String> order : GatheredParameters.orders(gathered)) {
            int best = PARTS / 2;
            for (int part : new int[] {2, 4, 6}) {
                best = cheaper(tried, order, part, best) ? part : best;
            }
            for (int part : new int[] {best - 1, best + 1}) {
                quickly(tried, order, part);
            }
        }
        tried.entrySet().stream()
                .filter(each -> each.getValue().isPresent())
                .min((a, b) ->
                        Double.compare(a.getValue().getAsDouble(), b.getValue().getAsDouble()))
                .ifPresent(each -> take(each.getKey()));
    }

    private boolean cheaper(Map<Shares, OptionalDouble> tried, List<String> order, int part, int other) {
        double cost = quickly(tried, order, part).orElse(Double.MAX_VALUE);
        return cost < quickly(tried, order, other).orElse(Double.MAX_VALUE);
    }

    /** What a quick plan costs that holds a part of an order whole; nothing if none fits, or there is no time left. */
    private OptionalDouble quickly(Map<Shares, OptionalDouble> tried, List<String> order, int part) {
        int whole = Math.max(1, Math.min(order.size() - 1, order.size() * part / PARTS));
        Shares shares = Shares.of(Sharding.PARAMETERS).withWhole(order.subList(0, whole));
        if (!tried.containsKey(shares)) {
            tried.put(shares, compiler.expired() ? OptionalDouble.empty() : costOf(shares));
        }
        return tried.get(shares);
    }

    private OptionalDouble costOf(Shares shares) {
        try {
            return OptionalDouble.of(cost(plan(quick(), shares)));
        } catch (BudgetException e) {
            // Others fit.
            return OptionalDouble.empty();
        }
    }

    /** By one strategy that takes a moment, where that can do what is asked for. */
    private CompileOptions quick() {
        return isOpen(options) ? options.quick().with(new PeakPriority()) : options.quick();
    }

    private void take(Shares shares) {
        try {
            Compilation plan = plan(options, shares);
            fitting.add(new Tried(shares, plan, cost(plan)));
        } catch (BudgetException e) {
            // A search of the usual effort that was ended; what was found before stands.
            return;
        }
    }
}
