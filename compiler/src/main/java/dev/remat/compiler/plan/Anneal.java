package dev.remat.compiler.plan;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Local search over what eviction under pressure thinks of each value: multiplies the prices of a few values by chance,
 * runs the step again, takes back needless repeats, and goes on from there if that costs no more, or early on a little
 * more (Kirkpatrick, Gelatt and Vecchi, 1983). Every move is a whole valid sequence, so the best one is at hand at any
 * time. The number of moves follows from the number of nodes, and chance from a fixed seed.
 */
public final class Anneal implements Planner {
    private static final long SEED = 1983;
    private static final long MOST_WORK = 1_500_000;
    private static final int MOST_MOVES = 8_000;
    private static final double[] LIMITS = {1, 1.02, 1.05, 1.1, 1.2};
    private static final double FIRST_TEMPERATURE = 0.003;
    /** Temperature as a part of the overhead, where that is little. */
    private static final double WARMTH = 0.03;
    private static final double[] STRETCHES = {0, 0.25, 0.5, 0.75, 1};
    /** Of so many values one is changed in a move, besides one that always is. */
    private static final int CHANGED_PART = 40;
    private static final double SPREAD = 1.5;

    @Override
    public String name() {
        return "anneal";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        BestSequence best = new BestSequence(problem, options);
        OperatorSequence start = new PeakPriority().plan(problem, options);
        best.offer(new OperatorSequence(name(), start.steps().toArray(), start.retained()));
        Proposal first = Proposal.of(problem, start);
        if (first.fits(options) && first.evaluation().recomputedCost() > 0) {
            search(problem, options, best);
        }
        return best.sequence();
    }

    /** Where the search stands. */
    private record State(double[] bias, double stretch, double limit) {
        State move(SplittableRandom random) {
            double[] tried = bias.clone();
            for (int i = random.nextInt(1, 2 + tried.length / CHANGED_PART); i > 0; i--) {
                tried[random.nextInt(tried.length)] *= Math.exp(SPREAD * random.nextGaussian());
            }
            return new State(
                    tried,
                    random.nextInt(10) == 0 ? STRETCHES[random.nextInt(STRETCHES.length)] : stretch,
                    random.nextInt(5) == 0 ? LIMITS[random.nextInt(LIMITS.length)] : limit);
        }
    }

    private void search(RematProblem problem, PlannerOptions options, BestSequence best) {
        SplittableRandom random = new SplittableRandom(SEED);
        StorageReads reads = StorageReads.of(problem);
        double[] even = new double[problem.valueCount()];
        Arrays.fill(even, 1);
        State middle = new State(even, STRETCHES[2], LIMITS[2]);
        State state = middle;
        double current = Double.POSITIVE_INFINITY;
        for (double stretch : STRETCHES) {
            for (double limit : LIMITS) {
                State start = new State(even, stretch, limit);
                double overhead = overhead(problem, options, reads, start, best);
                state = overhead < current ? start : state;
                current = Math.min(current, overhead);
            }
        }
        walk(problem, options, reads, middle, Double.POSITIVE_INFINITY, random, best);
        walk(problem, options, reads, state, current, new SplittableRandom(SEED), best);
    }

    private void walk(
            RematProblem problem, PlannerOptions options, StorageReads reads, State start, double overheadOfStart,
            SplittableRandom random, BestSequence best) {
        State state = start;
        double current = overheadOfStart;
        int moves = (int) Math.min(MOST_MOVES, MOST_WORK / problem.nodeCount());
        for (int move = 0; move < moves; move++) {
            State tried = state.move(random);
            double overhead = overhead(problem, options, reads, tried, best);
            double temperature = Math.min(FIRST_TEMPERATURE, WARMTH * current) * (moves - move) / moves;
            if (overhead <= current - temperature * Math.log(1 - random.nextDouble())) {
                state = tried;
                current = overhead;
            }
        }
    }

    /** Overhead of the sequence that a state leads to; infinite where it exceeds the budget. */
    private double overhead(
            RematProblem problem, PlannerOptions options, StorageReads reads, State state, BestSequence best) {
        long budget = options.budgetBytes().orElseThrow();
        EvictUnderPressure.Weights weights = new EvictUnderPressure.Weights(1, state.stretch(), state.bias());
        OperatorSequence sequence =
                EvictUnderPressure.run(name(), problem, reads, (long) (budget * state.limit()), weights);
        Proposal proposal = Proposal.of(problem, RemoveRepeats.run(problem, sequence, budget));
        best.offer(proposal.sequence());
        return proposal.fits(options) ? proposal.evaluation().overhead() : Double.POSITIVE_INFINITY;
    }
}
