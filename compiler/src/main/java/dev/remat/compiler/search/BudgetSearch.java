package dev.remat.compiler.search;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.plan.OperatorSequence;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Finds plans whose measured bytes fit a budget: keeps all if that fits, else {@linkplain AskStrategy asks} a strategy,
 * or {@linkplain AskPortfolio all of them in stages}, and {@linkplain ProveChoice proves} how
 * far from the best the answer may be. Where nothing fits it asks the same of the {@linkplain Subject#whereNoneFits
 * subject} that is there for that, or refuses.
 *
 * <p>Gaps between buffers and what kernels merge make an arena differ from the peak that strategies reckon with, so
 * that every plan is measured.
 *
 * <p>Where values may be moved, whole multiples of a page are reckoned for all that may be. So {@code auto} is held
 * against what it finds where nothing may be.
 */
public final class BudgetSearch<C extends Candidate> {
    private final Subject<C> subject;
    private final PlannerOptions unbounded;
    private final MeasuredPlans<C> plans;
    private final AskStrategy<C> ask;
    private final AskPortfolio<C> askPortfolio;
    /** The smallest plans that strategies make, by the strategy's name. */
    private final Map<String, C> smallest = new LinkedHashMap<>();

    private Optional<C> keepAll = Optional.empty();
    /** A search for plans that move nothing, where there are others. */
    private final Optional<BudgetSearch<C>> still;

    /** @param listener follows the search; hears no proofs but those of {@link #run} */
    public BudgetSearch(Subject<C> subject, Effort effort, SearchListener listener) {
        this.subject = subject;
        this.unbounded = PlannerOptions.none().with(effort).telling(listener);
        this.plans = new MeasuredPlans<>(subject, listener);
        this.ask = new AskStrategy<>(plans);
        this.askPortfolio = new AskPortfolio<>(plans, ask);
        this.still = subject.withoutMoving().map(other -> new BudgetSearch<>(other, effort, listener));
    }

    /**
     * The cheapest plan found within the budget; without a budget the strategy's smallest, or without a strategy the
     * one that keeps everything.
     *
     * @param strategy empty: the one to take where the user names none
     * @throws BudgetException if there is a budget and no plan found fits it
     */
    public Choice<C> run(Optional<Planner> strategy, Optional<Budget> budget) {
        Planner planner = strategy.orElseGet(Strategies::auto);
        C kept = keepAll();
        ProvedBounds bounds = new ProvedBounds(unbounded.listener());
        PlannerOptions any = unbounded.telling(bounds);
        if (budget.isEmpty()) {
            C plan = strategy.isEmpty() ? kept : plans.ask(planner, any);
            return prove().run(new Fit<>(plan, 0), planner, any, bounds);
        }
        PlannerOptions asked = any.within(budget.get().bytes(kept.bytes()));
        asked.listener().within(asked.budgetBytes().getAsLong());
        Fit<C> fit = within(planner, asked);
        return fit.isWithin(asked) ? prove().run(fit, planner, asked, bounds) : whereNoneFits(strategy, asked);
    }

    private Choice<C> whereNoneFits(Optional<Planner> strategy, PlannerOptions asked) {
        Budget bytes = new Budget.Bytes(asked.budgetBytes().getAsLong());
        return subject.whereNoneFits(asked.budgetBytes().getAsLong())
                .map(other -> new BudgetSearch<>(other, unbounded.effort(), unbounded.listener())
                        .run(strategy, Optional.of(bytes)))
                .orElseThrow(() -> prove().infeasible(asked));
    }

    /**
     * A strategy's plan, without a budget its smallest; how much better another could be is not asked.
     *
     * @throws BudgetException if there is a budget and no plan found fits it
     */
    public Choice<C> unproven(Planner planner, OptionalLong budgetBytes) {
        keepAll();
        PlannerOptions any = unproven();
        if (budgetBytes.isEmpty()) {
            return prove().unproven(new Fit<>(plans.ask(planner, any), 0), any);
        }
        PlannerOptions asked = any.within(budgetBytes.getAsLong());
        Fit<C> fit = within(planner, asked);
        if (!fit.isWithin(asked)) {
            throw prove().infeasible(asked);
        }
        return prove().unproven(fit, asked);
    }

    /**
     * The cheapest of sequences that are known to suit the problem, without a search.
     *
     * @throws BudgetException if none of them fits
     */
    public Choice<C> among(List<OperatorSequence> known, long budgetBytes) {
        keepAll();
        known.forEach(sequence -> measure(Proposal.of(subject.problem(), sequence)));
        PlannerOptions asked = unbounded.within(budgetBytes);
        C plan = plans.all().stream()
                .filter(candidate -> Fit.isWithin(candidate, asked))
                .min(Comparator.comparingLong(
                        candidate -> candidate.evaluation().cost()))
                .orElseThrow(() -> prove().infeasible(asked));
        return prove().unproven(new Fit<>(plan, 0), asked);
    }

    /** The plan that recomputes nothing but what pins ask for. */
    public C keepAll() {
        if (keepAll.isEmpty()) {
            keepAll = Optional.of(plans.ask(new KeepAll(), unbounded));
        }
        return keepAll.get();
    }

    /** Begins with a plan that recomputes nothing but what pins ask for, which was measured before. */
    public void begin(C kept) {
        plans.add(kept);
        keepAll = Optional.of(kept);
    }

    /** The smallest plan that the strategy finds quickly. */
    public C smallest(Planner planner) {
        return smallest.computeIfAbsent(planner.name(), name -> {
            if (keepAll().bytes() <= subject.floor().bytes()) {
                return keepAll();
            }
            C least = plans.ask(planner, unproven().with(Effort.QUICK));
            return still(planner)
                    .map(search -> measureMoving(search.smallest(planner)))
                    .filter(other -> other.bytes() < least.bytes())
                    .orElse(least);
        });
    }

    /** A plan by the strategy within the budget; the smallest found if none is. */
    public Fit<C> fit(Planner planner, long budgetBytes) {
        return fit(planner, unproven().within(budgetBytes));
    }

    /** The same from what the strategy {@linkplain #propose proposed}, which was measured elsewhere. */
    public Fit<C> fit(Planner planner, long budgetBytes, C proposed) {
        plans.add(proposed);
        return ask.repaired(proposed, planner, unproven().within(budgetBytes));
    }

    /** What the strategy makes of the budget, which is not measured; it may be asked from several threads. */
    public Proposal propose(Planner planner, long budgetBytes) {
        return subject.propose(planner, unproven().within(budgetBytes));
    }

    /** What a proposal takes. */
    public C measure(Proposal proposal) {
        return plans.measure(proposal);
    }

    /** Every plan measured so far, in that order. */
    public List<C> measured() {
        return plans.all();
    }

    private PlannerOptions unproven() {
        return unbounded.telling(unbounded.listener().withoutProofs());
    }

    private ProveChoice<C> prove() {
        return new ProveChoice<>(plans, keepAll());
    }

    private Fit<C> within(Planner planner, PlannerOptions asked) {
        return isAuto(planner) && Fit.isWithin(keepAll(), asked) ? new Fit<>(keepAll(), 0) : fit(planner, asked);
    }

    private static boolean isAuto(Planner planner) {
        return planner.equals(Strategies.auto());
    }

    private Fit<C> fit(Planner planner, PlannerOptions asked) {
        Fit<C> found = orSmallest(planner, asked);
        return still(planner)
                .filter(search -> !asked.listener().expired() && search.mayUndercut(found, asked))
                .map(search -> search.within(planner, asked.telling(unproven().listener())))
                .map(other -> found.orBetter(new Fit<>(measureMoving(other.plan()), other.tighteningRounds()), asked))
                .orElse(found);
    }

    /** What the strategy finds within the budget; if that is nothing, the smallest plan found. */
    private Fit<C> orSmallest(Planner planner, PlannerOptions asked) {
        if (asked.budgetBytes().getAsLong() < subject.floor().bytes()) {
            return new Fit<>(smallest(planner), 0);
        }
        Fit<C> fit = isAuto(planner) ? askPortfolio.run(planner, asked) : ask.run(planner, asked);
        return fit.isWithin(asked) || asked.listener().expired()
                ? fit
                : fit.orBetter(new Fit<>(smallest(planner), fit.tighteningRounds()), asked);
    }

    /** The search for plans that move nothing, where the strategy is to be held against them. */
    private Optional<BudgetSearch<C>> still(Planner planner) {
        return isAuto(planner) ? still : Optional.empty();
    }

    /** Whether a plan of this subject may cost less. */
    private boolean mayUndercut(Fit<C> fit, PlannerOptions asked) {
        return !fit.isWithin(asked)
                || !LowerBounds.noneIsBelow(
                        subject.problem(), asked, fit.plan().evaluation().cost());
    }

    /** The same plan as one of those that may move something. */
    private C measureMoving(C plan) {
        return measure(Proposal.of(subject.problem(), plan.sequence()));
    }
}
