package dev.remat.compiler.plan.local;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.evaluate.Overwrites;
import dev.remat.compiler.plan.evaluate.StorageReads;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Simulated annealing over whole sequences (Kirkpatrick, Gelatt and Vecchi, 1983), each move a few steps more, fewer or
 * elsewhere: minimises the cost, with a penalty on what the peak exceeds the budget by, or, where places are changed
 * most often, on what all of the sequence does, so that there is a slope where the peak alone would show none. The
 * penalty's weight follows how often the search is within the budget, so that it goes back and forth over the border,
 * where the best sequences lie. A walk may end with a part that stays within.
 */
final class SequenceSearch {
    /** Moves after which the penalty's weight is looked at. */
    private static final int PERIOD = 2_000;

    private static final double LEAST_WITHIN = 0.3;
    private static final double MOST_WITHIN = 0.5;
    private static final double WEIGHT_STEP = 1.1;
    /** Weight of what all of the sequence exceeds the budget by, at first, beside that of the peak. */
    private static final double OVERALL = 0.1;
    /** Largest weight, as a multiple of the cost of everything once. */
    private static final double MOST_WEIGHT = 100;
    /** The same where what fits is sought, and the weight there at first. */
    private static final double SEEKING_WEIGHT = 5;
    /** By how much hotter it is there at first, so that costs hardly count. */
    private static final double SEEKING_HEAT = 10;
    /** Moves after which the steps are spread evenly again, at least so many and so many for each step. */
    private static final int SPREADING = 50_000;

    private static final int SPREADING_A_STEP = 50;
    private static final int SMALL = 1_000;
    /** A large sequence is copied at most once in this part of its length of moves. */
    private static final int COPY_PART = 16;
    /** Part of a walk at its end in which it stays within the budget. */
    private static final int TAIL_PART = 10;

    /**
     * How long and how hot.
     *
     * @param work number of moves, and of steps that they put in and take out
     * @param first temperature at the start, as a part of the mean cost of a node
     * @param last temperature at the end
     * @param seed of chance
     * @param focus what it changes most often; where that is places, it ends with a part in which sequences stay within
     *     the budget
     * @param seeks whether it looks for what fits, whatever that costs, if nothing that fits is known when it begins
     */
    record Walk(long work, double first, double last, long seed, SequenceMoves.Focus focus, boolean seeks) {
        Walk(long work, double first, double last, long seed, SequenceMoves.Focus focus) {
            this(work, first, last, seed, focus, false);
        }

        /** Whether a sequence over the budget is out of the question once so much work is done. */
        boolean strict(long done) {
            return focus == SequenceMoves.Focus.PLACES && done >= work - work / TAIL_PART;
        }
    }

    private final RematProblem problem;
    private final long budget;
    private final SearchListener listener;
    private final StorageReads storages;
    private final Overwrites overwrites;
    private final double scale;
    /** What a sequence that computes everything once costs. */
    private final long leastCost;

    private int[] best;
    private long bestCost;
    private long bestPeak;
    private SequenceDraft draft;
    private long lastCopy;
    /** What a whole budget over the budget costs. */
    private double weight;

    private double mostWeight;

    private SequenceMoves.Focus focus = SequenceMoves.Focus.RECOMPUTATIONS;
    /** Whether what fits is sought, whatever it costs. */
    private boolean seeking;
    /** Whether nothing over the budget is accepted any more. */
    private boolean strict;

    /** Starts from a valid sequence, whether or not it fits. */
    SequenceSearch(RematProblem problem, OperatorSequence start, PlannerOptions options) {
        this.problem = problem;
        budget = options.budgetBytes().orElseThrow();
        listener = options.listener();
        storages = StorageReads.of(problem);
        overwrites = Overwrites.of(problem);
        best = start.steps().toArray();
        draft = draft(best);
        bestCost = draft.cost();
        bestPeak = draft.peakBytes();
        scale = (double) problem.baselineCost() / Math.max(1, best.length);
        weight = problem.baselineCost();
        mostWeight = MOST_WEIGHT * Math.max(1, problem.baselineCost());
        long once = 0;
        for (int n = 0; n < problem.nodeCount(); n++) {
            once += problem.residentNode(n) ? 0 : problem.cost(n);
        }
        leastCost = once;
    }

    /** The best so far; one that fits if the start does or one was found. */
    OperatorSequence best(String strategy) {
        return new OperatorSequence(strategy, best, List.of());
    }

    /** Goes on from the best so far, which is never lost. */
    void walk(Walk walk) {
        draft = draft(best);
        strict = false;
        begin(walk);
        double first = walk.first() * (seeking ? SEEKING_HEAT : 1);
        SplittableRandom random = new SplittableRandom(walk.seed());
        SequenceMoves moves = new SequenceMoves(problem, draft, random, walk.focus());
        if (!moves.possible()) {
            return;
        }
        double energy = energy();
        int within = 0;
        lastCopy = 0;
        int spreading = Math.max(SPREADING, SPREADING_A_STEP * best.length);
        long before = 0;
        long work = 0;
        for (int i = 0; work < walk.work(); i++, work = i + before + draft.changes()) {
            if (i % PERIOD == PERIOD - 1) {
                adaptWeight((double) within / PERIOD);
                within = 0;
                if (!strict && bestPeak <= budget && walk.strict(work)) {
                    strict = true;
                    before += draft.changes();
                    draft = draft(best);
                    moves = new SequenceMoves(problem, draft, random, walk.focus());
                }
                energy = energy();
            }
            if (i % PERIOD == 0 && (listener.expired() || nothingIsBetter())) {
                break;
            }
            if (i % spreading == spreading - 1 || draft.crowded()) {
                before += draft.changes();
                draft = draft(draft.toSteps());
                moves = new SequenceMoves(problem, draft, random, walk.focus());
            }
            double part = (double) work / walk.work();
            double temperature = scale * first * Math.pow(walk.last() / first, part);
            double limit = energy - temperature * Math.log(1 - random.nextDouble());
            boolean made = moves.make(limit - draft.cost(), slotOverBudget());
            double changed = made ? energy() : Double.POSITIVE_INFINITY;
            if (changed > limit) {
                draft.takeBack();
            } else {
                energy = changed;
                draft.keep();
                noteBest(i);
            }
            within += draft.peakBytes() <= budget ? 1 : 0;
        }
        lastCopy = Long.MIN_VALUE / 2;
        noteBest(0);
    }

    private void begin(Walk walk) {
        boolean seeks = walk.seeks() && bestPeak > budget;
        if (walk.focus() != focus) {
            weight *= walk.focus() == SequenceMoves.Focus.PLACES ? OVERALL : 1 / OVERALL;
            focus = walk.focus();
        }
        if (seeks != seeking) {
            seeking = seeks;
            weight = problem.baselineCost() * (seeks ? SEEKING_WEIGHT : OVERALL);
            mostWeight = Math.max(1, problem.baselineCost()) * (seeks ? SEEKING_WEIGHT : MOST_WEIGHT);
        }
    }

    private SequenceDraft draft(int[] steps) {
        return new SequenceDraft(problem, storages, overwrites, steps);
    }

    private int slotOverBudget() {
        return draft.peakBytes() > budget ? draft.storage().bytes().peakStep() : StepLine.NONE;
    }

    /** Where places are changed most often, whether everything is computed once within the budget. */
    private boolean nothingIsBetter() {
        return focus == SequenceMoves.Focus.PLACES && bestPeak <= budget && bestCost <= leastCost;
    }

    private double energy() {
        if (strict && draft.peakBytes() > budget) {
            return Double.POSITIVE_INFINITY;
        }
        long excess = focus == SequenceMoves.Focus.PLACES
                ? draft.storage().bytes().excess(budget)
                : Math.max(0, draft.peakBytes() - budget);
        return draft.cost() + weight * excess / Math.max(1, budget);
    }

    private void adaptWeight(double within) {
        double next =
                within < LEAST_WITHIN ? weight * WEIGHT_STEP : within > MOST_WITHIN ? weight / WEIGHT_STEP : weight;
        weight = Math.min(next, mostWeight);
    }

    private void noteBest(long move) {
        long peak = draft.peakBytes();
        boolean cheaper = draft.cost() < bestCost || draft.cost() == bestCost && peak < bestPeak;
        boolean better = bestPeak > budget ? peak < bestPeak : peak <= budget && cheaper;
        int length = draft.line().steps();
        if (better && (length < SMALL || move - lastCopy >= length / COPY_PART)) {
            best = draft.toSteps();
            bestCost = draft.cost();
            bestPeak = peak;
            lastCopy = move;
        }
    }
}
