package dev.remat.compiler.plan.portfolio;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.BestSequence;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.WorkBound;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.build.RemoveRecomputations;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.exact.PebbleSearch;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Strategies asked for one problem: each for the budget and for others around it, and recomputations that the budget
 * does not ask for are taken back. Asked for more, a strategy may come to fit by that; asked for less, it says what a
 * tighter budget would get, so that a looser one gets nothing worse.
 *
 * <p>Trials run side by side and are compared in a fixed order.
 */
final class Portfolio {
    private static final double[] LOOSER = {1.04, 1.1};
    /** Tighter budgets are the same whatever was asked for: so many parts of what keeping everything takes. */
    private static final int RUNGS = 20;

    private final RematProblem problem;
    private final PlannerOptions options;
    private final long keepAllBytes;
    private final BestSequence best;
    private final ProvedBounds bounds;
    private boolean proved;

    /** Starts with keeping everything. */
    Portfolio(RematProblem problem, PlannerOptions options) {
        this.problem = problem;
        this.options = options;
        best = new BestSequence(problem, options);
        best.offer(new KeepAll().plan(problem, options));
        keepAllBytes = best.proposal().evaluation().peakBytes();
        bounds = new ProvedBounds(options.listener());
    }

    Proposal best() {
        return best.proposal();
    }

    /** Whether nothing cheaper exists, for a normal effort nothing that is worth the time, or nobody waits for it. */
    boolean done() {
        boolean closed = best().fits(options) && bounds.closes(problem, best(), options.effort());
        return closed || options.listener().expired();
    }

    /** Whether a bound that covers the best sequence says that no other which it covers is cheaper. */
    boolean isBestOfItsOrder() {
        return best().fits(options)
                && best().evaluation().cost()
                        <= bounds.covering(problem, best().sequence()).cost();
    }

    /** Looks for lower bounds, as much as the effort of {@code asked} allows, unless it has. */
    void prove(PlannerOptions asked) {
        boolean full = asked.effort() == Effort.FULL;
        if (best().fits(options) && !done() && (full || !proved)) {
            proved = true;
            options.listener().trying("proving a lower bound");
            LowerBounds.of(problem, asked.telling(bounds), best().evaluation().cost());
        }
    }

    /** Looks among all sequences, of a small problem. */
    void solve() {
        boolean proven = best().fits(options) && bounds.closes(problem, best(), Effort.FULL);
        if (!proven && !options.listener().expired()) {
            options.listener().trying("planning by auto: all orders");
            offer(PebbleSearch.improve(problem, best().sequence(), options.telling(bounds)));
        }
    }

    /** Asks for the budget alone, the last first, which should be the best where there is little time. */
    void ask(List<Planner> planners) {
        if (!done()) {
            List<Optional<OperatorSequence>> found =
                    useful(planners).reversed().parallelStream().map(this::plan).toList();
            found.reversed().stream().flatMap(Optional::stream).forEach(this::offer);
        }
    }

    /** Those whose answer is not to keep everything, which is known. */
    private List<Planner> useful(List<Planner> planners) {
        return Retention.hasBackward(problem) ? planners : withoutBackward(planners);
    }

    /** Those that do not ask what a forward leaves to a backward behind it. */
    static List<Planner> withoutBackward(List<Planner> planners) {
        return planners.stream()
                .filter(planner -> !(planner instanceof BackwardPlanner))
                .toList();
    }

    private Optional<OperatorSequence> plan(Planner planner) {
        tell(planner);
        return trial(planner, options);
    }

    /** Asks for the budget, for somewhat more, and for the rungs below it that are above {@code least} times it. */
    void askAround(List<Planner> planners, double least) {
        List<PlannerOptions> asked = new ArrayList<>(List.of(options));
        if (options.budgetBytes().isPresent()) {
            long budget = options.budgetBytes().getAsLong();
            for (double looser : LOOSER) {
                asked.add(options.within((long) (budget * looser)));
            }
            for (int rung = RUNGS - 1; rung > 0; rung--) {
                long tighter = keepAllBytes / RUNGS * rung;
                if (tighter < budget && tighter > least * budget) {
                    asked.add(options.within(tighter));
                }
            }
        }
        ask(planners, asked);
    }

    private void ask(List<Planner> planners, List<PlannerOptions> asked) {
        for (Planner planner : useful(planners)) {
            if (done()) {
                return;
            }
            tell(planner);
            asked.parallelStream()
                    .map(other -> trial(planner, other))
                    .flatMap(Optional::stream)
                    .toList()
                    .forEach(this::offer);
        }
    }

    private void tell(Planner planner) {
        options.listener().trying("planning by auto: " + planner.name());
    }

    /** Empty when nobody waits for it any more. */
    private Optional<OperatorSequence> trial(Planner planner, PlannerOptions asked) {
        if (options.listener().expired()) {
            return Optional.empty();
        }
        PlannerOptions bounded = WorkBound.on(problem, asked);
        OperatorSequence sequence = planner.plan(problem, bounded);
        return Optional.of(
                options.budgetBytes().isPresent()
                        ? RemoveRecomputations.run(
                                problem, sequence, options.budgetBytes().getAsLong(), bounded.listener())
                        : sequence);
    }

    void offer(OperatorSequence sequence) {
        Proposal proposal = Proposal.of(problem, sequence);
        best.offer(proposal);
        options.listener().found(proposal);
    }

    /** Runs searches that go on from the best so far, side by side. */
    void search(String what, List<UnaryOperator<OperatorSequence>> searches) {
        if (!done() && !searches.isEmpty()) {
            options.listener().trying("planning by auto: " + what);
            OperatorSequence start = best().sequence();
            searches.parallelStream()
                    .map(search -> search.apply(start))
                    .toList()
                    .forEach(this::offer);
        }
    }
}
