package dev.remat.compiler.choose;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.ExchangeTimes;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.ranks.Link;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.search.BudgetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What ranks share of the state so that a step is fastest within its budget: each is planned with all that may be
 * recomputed and moved, and of equally fast ones the first is taken.
 */
public final class ChooseSharding {
    /** Those whose plans differ: the usual one first, and the one last that takes most. */
    public static final List<Sharding> LEVELS = List.of(Sharding.OPTIMIZER, Sharding.PARAMETERS, Sharding.NONE);

    /**
     * A level with its plan.
     *
     * @param cost of a step, waiting for exchanges included
     * @param least what any plan of this level that the bound covers costs at least
     */
    public record Tried(Sharding sharding, Compilation plan, double cost, double least) {}

    /**
     * What was found.
     *
     * @param fitting in the order in which they were tried, of which the fastest is chosen
     */
    public record Choice(List<Tried> fitting) {
        public Choice {
            fitting = List.copyOf(fitting);
        }

        public Tried chosen() {
            Tried best = fitting.getFirst();
            for (Tried each : fitting) {
                best = each.cost() < best.cost() ? each : best;
            }
            return best;
        }

        /** What no plan of any level that fits can cost less than, as far as their bounds go. */
        public double least() {
            return fitting.stream().mapToDouble(Tried::least).min().orElseThrow();
        }
    }

    private ChooseSharding() {}

    /**
     * @param plan of a level
     * @param link that ranks exchange over, if that is known
     * @throws BudgetException if no level fits: that of the one that takes least
     */
    public static Choice run(Function<Sharding, Compilation> plan, Optional<Link> link) {
        List<Tried> fitting = new ArrayList<>();
        Optional<BudgetException> refused = Optional.empty();
        for (Sharding level : LEVELS) {
            try {
                fitting.add(tried(level, plan.apply(level), link));
            } catch (BudgetException e) {
                boolean less = refused.isEmpty()
                        || e.smallestFoundBytes() < refused.get().smallestFoundBytes();
                refused = less ? Optional.of(e) : refused;
            }
        }
        if (fitting.isEmpty()) {
            throw refused.orElseThrow();
        }
        return new Choice(fitting);
    }

    private static Tried tried(Sharding level, Compilation plan, Optional<Link> link) {
        double waited = ExchangeTimes.of(PlanAccount.of(plan, link))
                .map(ExchangeTimes::waited)
                .orElse(0.0);
        double cost = ExchangeTimes.of(PlanAccount.of(plan, link))
                .map(ExchangeTimes::nanos)
                .orElse((double) plan.cost());
        double bound = plan.baselineCost() * (1 + plan.lowerBoundOverhead());
        return new Tried(level, plan, cost, Math.min(bound, cost - waited));
    }
}
