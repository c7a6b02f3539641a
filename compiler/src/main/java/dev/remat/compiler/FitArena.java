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
 * it exceeds the budget, they are asked again for as much less, a bounded number of times. Large problems are searched
 * in full only the first time.
 */
public final class FitArena {
    private static final int MOST_ROUNDS = 4;
    /** Above so many nodes a full search takes too long to be made for every round, and a quick one hardly finds less. */
    private static final int LARGE = 400;

    /**
     * How it ended.
     *
     * @param proposal the last that was asked for; if nothing fits, as small a one as was found
     * @param arenaBytes of that
     * @param tighteningRounds times that less than the budget was asked for
     */
    public record Outcome(Proposal proposal, long arenaBytes, int tighteningRounds) {}

    private FitArena() {}

    /**
     * @param nodes of the problem
     * @param options with a budget
     * @param ask makes a sequence
     * @param arenaBytes measures it
     */
    public static Outcome run(int nodes, PlannerOptions options, Function<PlannerOptions, Proposal> ask,
            ToLongFunction<Proposal> arenaBytes) {
        long budget = options.budgetBytes().orElseThrow();
        PlannerOptions again = nodes > LARGE ? options.with(Effort.QUICK) : options;
        PlannerOptions asked = options;
        for (int round = 0; ; round++) {
            Proposal proposal = ask.apply(asked);
            long bytes = arenaBytes.applyAsLong(proposal);
            long less = asked.budgetBytes().getAsLong() - (bytes - budget);
            boolean hopeless = !proposal.fits(asked) || less < 0 || options.listener().expired();
            if (bytes <= budget || hopeless || round == MOST_ROUNDS) {
                return new Outcome(proposal, bytes, round);
            }
            asked = again.within(less);
        }
    }
}
