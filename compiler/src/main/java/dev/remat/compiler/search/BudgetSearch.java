package dev.remat.compiler.search;

import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.ProvedBounds;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.bound.LowerBounds;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.LiveTensors;
import dev.remat.compiler.plan.local.Anneal;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Finds plans whose measured bytes fit a budget: keeps all if that fits, else asks a strategy for the budget and for
 * less while the measure exceeds it, falls back to the smallest plan, proves how far from the best the answer may be,
 * and refuses where nothing fits.
 *
 * <p>Gaps between buffers and what kernels merge make an arena differ from the peak that strategies reckon with. Since
 * gaps go by chance, a full search whose plan does not fit is also held against quick ones, and against strategies that
 * fit though they were asked for all of the budget. Large problems are searched in full only once ({@link
 * SearchLimits}); from what a quick search finds for less, local search goes on.
 *
 * <p>Where values may be moved, whole multiples of a page are reckoned for all that may be. So {@code auto} is held
 * against what it finds where nothing may be.
 */
public final class BudgetSearch<C extends Candidate> {
    private static final int MOST_ROUNDS = 4;
    private static final int MOST_IMPROVED = 2;

    /**
     * What asking for a budget came to.
     *
     * @param plan within the budget, or the smallest found if none is
     * @param tighteningRounds times that less than the budget was asked for
     */
    public record Fit<C extends Candidate>(C plan, int tighteningRounds) {}

    private final Subject<C> subject;
    private final RematProblem problem;
    private final PlannerOptions unbounded;
    /** Every plan so far, so that none is measured twice. */
    private final List<C> measured = new ArrayList<>();
    /** The smallest plans that strategies make, by the strategy's name. */
    private final Map<String, C> smallest = new LinkedHashMap<>();

    private Optional<C> keepAll = Optional.empty();
    /** A search for plans that move nothing, where there are others. */
    private final Optional<BudgetSearch<C>> still;

    /** @param listener follows the search; hears no proofs but those of {@link #run} */
    public BudgetSearch(Subject<C> subject, Effort effort, SearchListener listener) {
        this.subject = subject;
        this.problem = subject.problem();
        this.unbounded = PlannerOptions.none().with(effort).telling(listener);
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
            C plan = strategy.isEmpty() ? kept : measure(subject.propose(planner, any));
            return choice(new Fit<>(plan, 0), any, bound(plan, planner, any, bounds));
        }
        PlannerOptions asked = any.within(budget.get().bytes(kept.bytes()));
        Fit<C> fit = within(planner, asked);
        if (!fits(fit.plan(), asked)) {
            throw infeasible(asked);
        }
        return choice(fit, asked, bound(fit.plan(), planner, asked, bounds));
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
            return choice(new Fit<>(measure(subject.propose(planner, any)), 0), any, trivialBound());
        }
        PlannerOptions asked = any.within(budgetBytes.getAsLong());
        Fit<C> fit = within(planner, asked);
        if (!fits(fit.plan(), asked)) {
            throw infeasible(asked);
        }
        return choice(fit, asked, trivialBound());
    }

    /**
     * The cheapest of sequences that are known to suit the problem, without a search.
     *
     * @throws BudgetException if none of them fits
     */
    public Choice<C> among(List<OperatorSequence> known, long budgetBytes) {
        keepAll();
        known.forEach(sequence -> measure(Proposal.of(problem, sequence)));
        PlannerOptions asked = unbounded.within(budgetBytes);
        C plan = measured.stream()
                .filter(candidate -> fits(candidate, asked))
                .min(Comparator.comparingLong(
                        candidate -> candidate.evaluation().cost()))
                .orElseThrow(() -> infeasible(asked));
        return choice(new Fit<>(plan, 0), asked, trivialBound());
    }

    /** The plan that recomputes nothing but what pins ask for. */
    public C keepAll() {
        if (keepAll.isEmpty()) {
            keepAll = Optional.of(measure(subject.propose(new KeepAll(), unbounded)));
        }
        return keepAll.get();
    }

    /** The smallest plan that the strategy finds quickly. */
    public C smallest(Planner planner) {
        return smallest.computeIfAbsent(planner.name(), name -> {
            C least = measure(subject.propose(planner, unproven().with(Effort.QUICK)));
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

    /** What a proposal takes. */
    public C measure(Proposal proposal) {
        OperatorSequence sequence = proposal.sequence();
        List<C> same = measured.stream()
                .filter(known -> known.sequence().sameSteps(sequence))
                .toList();
        Optional<C> known = same.stream()
                .filter(plan -> plan.sequence().strategy().equals(sequence.strategy()))
                .findFirst();
        if (known.isPresent()) {
            return known.get();
        }
        C candidate = same.isEmpty()
                ? unbounded.listener().rehearse(() -> subject.measure(proposal))
                : subject.measureAgain(proposal, same.getFirst());
        measured.add(candidate);
        return candidate;
    }

    /** Every plan measured so far, in that order. */
    public List<C> measured() {
        return List.copyOf(measured);
    }

    private PlannerOptions unproven() {
        return unbounded.telling(unbounded.listener().withoutProofs());
    }

    private Fit<C> within(Planner planner, PlannerOptions asked) {
        boolean auto = planner.equals(Strategies.auto());
        if (auto && fits(keepAll(), asked)) {
            return new Fit<>(keepAll(), 0);
        }
        Fit<C> fit = fit(planner, asked);
        boolean tightened = fit.tighteningRounds() > 0 && fits(fit.plan(), asked);
        return auto && tightened
                ? new Fit<>(improved(undercut(fit.plan(), asked), asked), fit.tighteningRounds())
                : fit;
    }

    private Fit<C> fit(Planner planner, PlannerOptions asked) {
        Fit<C> found = fitAsProblemSays(planner, asked);
        return still(planner)
                .filter(search -> !asked.listener().expired() && search.mayUndercut(found.plan(), asked))
                .map(search -> search.within(planner, asked.telling(unproven().listener())))
                .map(other -> better(found, new Fit<>(measureMoving(other.plan()), other.tighteningRounds()), asked))
                .orElse(found);
    }

    /** The search for plans that move nothing, where the strategy is to be held against them. */
    private Optional<BudgetSearch<C>> still(Planner planner) {
        return planner.equals(Strategies.auto()) ? still : Optional.empty();
    }

    /** Whether a plan of this problem may cost less. */
    private boolean mayUndercut(C plan, PlannerOptions asked) {
        return !fits(plan, asked)
                || !LowerBounds.noneIsBelow(problem, asked, plan.evaluation().cost());
    }

    /** The same plan as one of those that may move something. */
    private C measureMoving(C plan) {
        return measure(Proposal.of(problem, plan.sequence()));
    }

    private Fit<C> fitAsProblemSays(Planner planner, PlannerOptions asked) {
        int rounds = 0;
        Optional<C> found = Optional.empty();
        if (asked.budgetBytes().getAsLong() >= subject.floor().bytes()) {
            Fit<C> fit = tightenByEffort(planner, asked);
            if (fits(fit.plan(), asked) || asked.listener().expired()) {
                return fit;
            }
            rounds = fit.tighteningRounds();
            found = Optional.of(fit.plan());
        }
        C least = smallest(planner);
        return new Fit<>(found.filter(plan -> plan.bytes() <= least.bytes()).orElse(least), rounds);
    }

    private Fit<C> tightenByEffort(Planner planner, PlannerOptions asked) {
        boolean full = asked.effort() == Effort.FULL;
        boolean once = full && problem.nodeCount() > SearchLimits.SEARCHED_IN_FULL_AGAIN;
        Fit<C> fit = tighten(planner, asked, once ? 0 : MOST_ROUNDS);
        boolean gaps = fit.tighteningRounds() > 0
                || !fits(fit.plan(), asked) && fit.plan().proposal().fits(asked);
        return full && gaps && !asked.listener().expired()
                ? better(fit, tighten(planner, asked.with(Effort.QUICK), MOST_ROUNDS), asked)
                : fit;
    }

    /** Asks for as much less as the plan takes too much, a bounded number of times. */
    private Fit<C> tighten(Planner planner, PlannerOptions options, int mostRounds) {
        long budget = options.budgetBytes().getAsLong();
        PlannerOptions asked = options;
        for (int round = 0; ; round++) {
            C plan = measure(subject.propose(planner, asked));
            long less = asked.budgetBytes().getAsLong() - (plan.bytes() - budget);
            boolean hopeless = !plan.proposal().fits(asked)
                    || less < 0
                    || options.listener().expired();
            if (plan.bytes() <= budget || hopeless || round == mostRounds) {
                return new Fit<>(plan, round);
            }
            asked = options.within(less);
        }
    }

    private Fit<C> better(Fit<C> one, Fit<C> other, PlannerOptions asked) {
        if (!fits(one.plan(), asked) || !fits(other.plan(), asked)) {
            return other.plan().bytes() < one.plan().bytes() ? other : one;
        }
        return other.plan().evaluation().cost() < one.plan().evaluation().cost() ? other : one;
    }

    /**
     * What a single strategy proposes where it costs less and fits: asked for less than the budget because an arena
     * exceeded it, {@code auto} may come to cost more than one that was asked for all of it.
     */
    private C undercut(C auto, PlannerOptions asked) {
        if (problem.nodeCount() > SearchLimits.SEARCHED_EXACTLY
                || asked.listener().expired()) {
            return auto;
        }
        PlannerOptions quick = asked.with(Effort.QUICK);
        return Strategies.all().stream()
                .map(single -> subject.propose(single, quick))
                .filter(proposal -> proposal.fits(quick)
                        && proposal.evaluation().cost() < auto.evaluation().cost())
                .sorted(Proposal.bestFirst(quick))
                .map(this::measure)
                .filter(candidate -> fits(candidate, asked))
                .findFirst()
                .orElse(auto);
    }

    /**
     * What local search makes of the plan of a large problem that was searched quickly for less than the budget: within
     * what the plan's own gaps leave of it, and if others take their place, once more within what those leave.
     */
    private C improved(C quick, PlannerOptions asked) {
        if (asked.effort() == Effort.QUICK
                || problem.nodeCount() <= SearchLimits.SEARCHED_IN_FULL_AGAIN
                || !problem.tiers().isEmpty()) {
            return quick;
        }
        long budget = asked.budgetBytes().getAsLong();
        long gaps = Math.max(0, quick.bytes() - quick.evaluation().peakBytes());
        for (int round = 0; round < MOST_IMPROVED && !asked.listener().expired(); round++) {
            C found = measure(subject.propose(Anneal.from(quick.sequence()), asked.within(budget - gaps)));
            if (found.evaluation().cost() >= quick.evaluation().cost()) {
                return quick;
            }
            if (fits(found, asked)) {
                return found;
            }
            gaps += found.bytes() - budget;
        }
        return quick;
    }

    private static boolean fits(Candidate candidate, PlannerOptions asked) {
        return candidate.bytes() <= asked.budgetBytes().getAsLong();
    }

    private Choice<C> choice(Fit<C> fit, PlannerOptions asked, LowerBound bound) {
        return new Choice<>(
                fit.plan(),
                MeasuredPlan.of(keepAll()),
                subject.floor(),
                asked.budgetBytes(),
                smallestMeasured().bytes(),
                bound,
                fit.tighteningRounds());
    }

    private C smallestMeasured() {
        return measured.stream().min(Comparator.comparingLong(Candidate::bytes)).orElseThrow();
    }

    private LowerBound trivialBound() {
        return new LowerBound(problem.baselineCost(), BoundScope.ANY_ORDER);
    }

    /**
     * Bounds say nothing of a plan that fits though its peak, as strategies reckon, does not; and without a budget only
     * what pins ask for is certain.
     */
    private LowerBound bound(C plan, Planner planner, PlannerOptions asked, ProvedBounds bounds) {
        OptionalLong budget = asked.budgetBytes();
        boolean covered = budget.isPresent()
                ? plan.proposal().fits(asked)
                : keepAll().evaluation().recomputedCost() > 0;
        if (!covered) {
            return trivialBound();
        }
        if (plan.evaluation().recomputedCost() > 0 && !planner.provesBounds()) {
            asked.listener().trying("proving a lower bound");
            LowerBounds.of(problem, asked.with(Effort.QUICK), plan.evaluation().cost());
        }
        return bounds.covering(problem, plan.sequence());
    }

    private BudgetException infeasible(PlannerOptions asked) {
        C least = smallestMeasured();
        List<LiveTensors.Tensor> tensors =
                LiveTensors.at(problem, least.sequence(), least.evaluation().peakStep());
        return new BudgetException(
                asked.budgetBytes().getAsLong(),
                subject.floor(),
                least.bytes(),
                tensors,
                problem.tiers(),
                asked.listener().expired());
    }
}
