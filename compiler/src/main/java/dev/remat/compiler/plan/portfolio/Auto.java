package dev.remat.compiler.plan.portfolio;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.WorkBound;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.exact.ConstraintSolver;
import dev.remat.compiler.plan.exact.IntervalCp;
import dev.remat.compiler.plan.exact.WindowSearch;
import dev.remat.compiler.plan.local.Anneal;
import dev.remat.compiler.plan.local.JointWalks;
import dev.remat.compiler.plan.order.Reorder;
import dev.remat.compiler.plan.order.Reordering;
import dev.remat.compiler.plan.transfer.AnnealLabels;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The best that other strategies find, made cheaper by local and exact search. Never worse than one of those that it
 * asks, unless time runs out.
 *
 * <p>First come strategies that are quick, for several budgets and in another order of the nodes too. From the cheapest
 * sequence local search goes on, beside one with a beginning of its own; from what these find, constraint programming
 * over the whole problem and over windows. Where nodes may stand in many places, local search over orders and
 * recomputations comes first, in rounds, and constraint programming, which in a searched order would find no more,
 * begins by itself. Lower bounds may end it early. Where the solver's library cannot be loaded, it does without.
 *
 * <p>Where there are tiers, this is what {@link JointPortfolio} begins with.
 */
public final class Auto implements Planner {
    /** Tighter budgets asked for are above this share of the budget. */
    private static final double LEAST = 0.5;
    /** Nodes and edges up to which a quick search proves a bound. */
    private static final long MOST_PROVED = 1_000_000;

    private final List<Planner> seeds;
    private final List<Planner> strongest;
    private final List<Planner> quickest;
    private final Planner local;

    /**
     * @param seeds what is asked first, quick beside the searches
     * @param strongest those of them that are worth asking several times about large problems
     * @param quickest those that take a few passes over a problem
     * @param local searches locally from a beginning of its own
     */
    Auto(List<Planner> seeds, List<Planner> strongest, List<Planner> quickest, Planner local) {
        this.seeds = List.copyOf(seeds);
        this.strongest = List.copyOf(strongest);
        this.quickest = List.copyOf(quickest);
        this.local = local;
    }

    @Override
    public String name() {
        return "auto";
    }

    @Override
    public boolean provesBounds() {
        return true;
    }

    @Override
    public boolean movesValues() {
        return true;
    }

    /** By local search: what the beginning gave, orders, bounds and windows, it gives for a little less, too. */
    @Override
    public Planner onwardFrom(OperatorSequence start) {
        return new Onward(start);
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        return problem.tiers().isEmpty()
                ? onDevice(problem, options)
                : new JointPortfolio(problem, options, new OnDevice()).search();
    }

    private OperatorSequence onDevice(RematProblem problem, PlannerOptions options) {
        Portfolio portfolio = new Portfolio(problem, options);
        if (WorkBound.applies(problem, options)) {
            askQuickest(portfolio, problem, options);
            return portfolio.best().sequence();
        }
        if (options.budgetBytes().isPresent() && !portfolio.done() && Reorder.pays(problem)) {
            searchOrders(portfolio, problem, options);
            return portfolio.best().sequence();
        }
        Planner alone = local;
        Optional<Reordering> muchLess =
                options.effort() == Effort.FULL ? Optional.empty() : Reorder.ofLarge(problem, options.listener());
        if (muchLess.isEmpty()) {
            seed(portfolio, problem.nodeCount(), options.effort());
        }
        if (!portfolio.done()) {
            options.listener().trying("planning by auto: another order");
            Optional<Reordering> other = muchLess.or(() -> Reorder.run(problem, options.listener()));
            if (other.isPresent() && askInOtherOrder(other.get(), portfolio, problem, options)) {
                alone = other.get().asking(local);
            }
        }
        if (options.budgetBytes().isPresent()) {
            UnaryOperator<OperatorSequence> onward = found -> IntervalCp.improve(problem, found, options);
            finish(portfolio, apart(alone, problem, options), onward, problem, options);
        } else {
            portfolio.ask(List.of(local));
        }
        return portfolio.best().sequence();
    }

    /** What takes a few passes over a problem: the quickest strategies, in another order where nothing fits. */
    private void askQuickest(Portfolio portfolio, RematProblem problem, PlannerOptions options) {
        portfolio.ask(quickest);
        boolean missed = options.budgetBytes().isPresent() && !portfolio.best().fits(options);
        if (missed && !portfolio.done()) {
            options.listener().trying("planning by auto: another order");
            Reorder.run(problem, options.listener())
                    .ifPresent(other ->
                            ask(Portfolio.withoutBackward(quickest), within(other, options), other, portfolio));
        }
        if (WorkBound.pass(problem) <= MOST_PROVED) {
            portfolio.prove(options);
        }
    }

    /**
     * Goes through orders and recomputations at once, in rounds: from the given order, and beside the last round that
     * is quick from the best that a search over orders finds.
     */
    private void searchOrders(Portfolio portfolio, RematProblem problem, PlannerOptions options) {
        PlannerOptions quick = options.with(Effort.QUICK);
        UnaryOperator<OperatorSequence> inSearchedOrder = kept -> local.plan(problem, quick);
        int brief = JointWalks.rounds(problem, Effort.QUICK);
        if (problem.nodeCount() > SearchLimits.ASKED_AROUND) {
            portfolio.search("searching orders", List.of(inSearchedOrder));
            portfolio.ask(seeds);
        } else {
            for (int round = 0; round < brief - 1; round++) {
                portfolio.search("searching orders", JointWalks.round(problem, options, round));
            }
            List<UnaryOperator<OperatorSequence>> last = new ArrayList<>(JointWalks.round(problem, options, brief - 1));
            last.add(inSearchedOrder);
            portfolio.search("searching orders", last);
        }
        if (problem.nodeCount() <= SearchLimits.SOLVED_WHOLE) {
            portfolio.prove(quick);
        }
        portfolio.solve();
        int rounds = JointWalks.rounds(problem, options.effort());
        for (int round = brief; round < rounds; round++) {
            portfolio.search("orders and recomputations", JointWalks.round(problem, options, round));
        }
        if (!portfolio.best().fits(options) && options.effort() == Effort.FULL) {
            portfolio.ask(seeds);
        }
        portfolio.prove(quick);
        if (options.effort() != Effort.QUICK) {
            UnaryOperator<OperatorSequence> inGivenOrder = found -> new IntervalCp().plan(problem, options);
            searchExactly(portfolio, inGivenOrder, List.of(), problem, options);
        }
    }

    /** Whether local search should begin in the other order too. */
    private boolean askInOtherOrder(
            Reordering other, Portfolio portfolio, RematProblem problem, PlannerOptions options) {
        Portfolio reordered = within(other, options);
        boolean small = problem.nodeCount() <= SearchLimits.ASKED_AROUND;
        boolean muchLess = !small && other.takesMuchLess();
        boolean all = muchLess || small && options.effort() == Effort.FULL;
        List<Planner> planners = all ? seeds : strongest;
        // What segments leave to the backward has no meaning where one is not behind the other, and takes long.
        boolean waits = Retention.forwardWaits(other.problem()) && !Retention.forwardWaits(problem);
        ask(waits ? Portfolio.withoutBackward(planners) : planners, reordered, other, portfolio);
        return muchLess && problem.nodeCount() > SearchLimits.SEARCHED_EXACTLY;
    }

    private static Portfolio within(Reordering other, PlannerOptions options) {
        return new Portfolio(other.problem(), options.telling(options.listener().withoutProofs()));
    }

    private static void ask(List<Planner> planners, Portfolio reordered, Reordering other, Portfolio portfolio) {
        reordered.ask(planners);
        portfolio.offer(other.toOriginal(reordered.best().sequence()));
    }

    private void seed(Portfolio portfolio, int nodes, Effort effort) {
        if (effort == Effort.FULL && nodes <= SearchLimits.ASKED_AROUND) {
            portfolio.askAround(seeds, LEAST);
        } else {
            portfolio.ask(seeds);
            if (effort == Effort.FULL && nodes <= SearchLimits.LARGE) {
                portfolio.askAround(strongest, LEAST);
            }
        }
    }

    /** Local searches, one of which begins by itself. */
    private static List<UnaryOperator<OperatorSequence>> apart(
            Planner alone, RematProblem problem, PlannerOptions options) {
        PlannerOptions brief = brief(options);
        return List.of(seed -> alone.plan(problem, brief), seed -> Anneal.improve(problem, seed, brief));
    }

    /** For a normal effort quick ones come first, and longer ones go on from the best of them. */
    private static PlannerOptions brief(PlannerOptions options) {
        return options.effort() == Effort.NORMAL ? options.with(Effort.QUICK) : options;
    }

    /**
     * Searches on from the best found until nothing can be better, or for a normal effort not much.
     *
     * @param local what to make of a sequence, side by side
     * @param exact the same by constraint programming over the whole problem
     */
    private static void finish(
            Portfolio portfolio,
            List<UnaryOperator<OperatorSequence>> local,
            UnaryOperator<OperatorSequence> exact,
            RematProblem problem,
            PlannerOptions options) {
        portfolio.prove(options.with(Effort.QUICK));
        portfolio.solve();
        portfolio.search("local search", local);
        List<UnaryOperator<OperatorSequence>> beside =
                options.effort() == Effort.NORMAL ? Anneal.onward(problem, options) : List.of();
        searchExactly(portfolio, exact, beside, problem, options);
    }

    /**
     * Proves bounds, and goes on by constraint programming over the whole of a small problem and over windows.
     *
     * @param exact the former
     * @param beside what else to make of a sequence meanwhile
     */
    private static void searchExactly(
            Portfolio portfolio,
            UnaryOperator<OperatorSequence> exact,
            List<UnaryOperator<OperatorSequence>> beside,
            RematProblem problem,
            PlannerOptions options) {
        boolean whole = problem.nodeCount() <= SearchLimits.SOLVED_WHOLE;
        boolean exactly = problem.nodeCount() <= SearchLimits.SEARCHED_EXACTLY;
        boolean full = options.effort() == Effort.FULL;
        if (whole || exactly && !full) {
            portfolio.prove(options);
        }
        if (whole && portfolio.isBestOfItsOrder()) {
            return;
        }
        boolean solved = (whole || exactly && full) && !portfolio.done() && ConstraintSolver.isAvailable();
        List<UnaryOperator<OperatorSequence>> further = new ArrayList<>();
        if (whole && solved) {
            further.add(exact);
        }
        further.addAll(beside);
        if (exactly && full && solved) {
            further.add(found -> WindowSearch.improve(problem, found, options));
        }
        if (exactly && full && !whole) {
            further.add(found -> {
                portfolio.prove(options);
                return found;
            });
        }
        portfolio.search("exact search", further);
    }

    /** @param start which it goes on from */
    private record Onward(OperatorSequence start) implements Planner {
        @Override
        public String name() {
            return "auto";
        }

        @Override
        public boolean movesValues() {
            return true;
        }

        @Override
        public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
            options.listener().trying("planning by auto: repairing the plan");
            PlannerOptions quick = options.with(Effort.QUICK);
            return problem.tiers().isEmpty()
                    ? Anneal.from(start).plan(problem, quick)
                    : AnnealLabels.improve(problem, List.of(start), quick);
        }
    }

    /** The same where there are no tiers. */
    private final class OnDevice implements Planner {
        @Override
        public String name() {
            return "auto";
        }

        @Override
        public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
            return onDevice(problem, options);
        }
    }
}
