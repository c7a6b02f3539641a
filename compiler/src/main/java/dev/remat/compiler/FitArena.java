package dev.remat.compiler;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Asks for a sequence within a budget until its arena fits too.
 *
 * <p>Gaps between buffers and what kernels merge make an arena differ from the peak that strategies reckon with. Where
 * it exceeds the budget, they are asked again for as much less, a bounded number of times. Since gaps go by chance, a
 * full search whose arena does not fit is also held against quick ones; large problems are searched in full only once.
 */
public final class FitArena {
    private static final int MOST_ROUNDS = 4;
    /** Above so many nodes a full search takes too long to be made for every round. */
    private static final int LARGE = 400;

    /**
     * How it ended.
     *
     * @param proposal the last that was asked for; if nothing fits, as small a one as was found
     * @param arenaBytes of that
     * @param tighteningRounds times that less than the budget was asked for
     */
    public record Outcome(Proposal proposal, long arenaBytes, int tighteningRounds) {}

    private final long budget;
    private final Function<PlannerOptions, Proposal> ask;
    private final ToLongFunction<Proposal> arenaBytes;

    private FitArena(long budget, Function<PlannerOptions, Proposal> ask, ToLongFunction<Proposal> arenaBytes) {
        this.budget = budget;
        this.ask = ask;
        this.arenaBytes = arenaBytes;
    }

    /**
     * @param nodes of the problem
     * @param options with a budget
     * @param ask makes a sequence
     * @param arenaBytes measures it
     */
    public static Outcome run(
            int nodes,
            PlannerOptions options,
            Function<PlannerOptions, Proposal> ask,
            ToLongFunction<Proposal> arenaBytes) {
        FitArena fit = new FitArena(options.budgetBytes().orElseThrow(), ask, arenaBytes);
        boolean full = options.effort() == Effort.FULL;
        Outcome outcome = fit.tighten(options, full && nodes > LARGE ? 0 : MOST_ROUNDS);
        boolean gaps = outcome.tighteningRounds() > 0
                || fit.exceeds(outcome) && outcome.proposal().fits(options);
        return full && gaps && !options.listener().expired()
                ? fit.better(outcome, fit.tighten(options.with(Effort.QUICK), MOST_ROUNDS))
                : outcome;
    }

    private Outcome tighten(PlannerOptions options, int mostRounds) {
        PlannerOptions asked = options;
        for (int round = 0; ; round++) {
            Proposal proposal = ask.apply(asked);
            long bytes = arenaBytes.applyAsLong(proposal);
            long less = asked.budgetBytes().getAsLong() - (bytes - budget);
            boolean hopeless =
                    !proposal.fits(asked) || less < 0 || options.listener().expired();
            if (bytes <= budget || hopeless || round == mostRounds) {
                return new Outcome(proposal, bytes, round);
            }
            asked = options.within(less);
        }
    }

    private boolean exceeds(Outcome outcome) {
        return outcome.arenaBytes() > budget;
    }

    private Outcome better(Outcome one, Outcome other) {
        if (exceeds(one) || exceeds(other)) {
            return other.arenaBytes() < one.arenaBytes() ? other : one;
        }
        return other.proposal().evaluation().cost()
                        < one.proposal().evaluation().cost()
                ? other
                : one;
    }
}
