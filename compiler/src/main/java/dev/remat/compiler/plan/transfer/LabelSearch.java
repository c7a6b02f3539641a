package dev.remat.compiler.plan.transfer;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Simulated annealing over labels (Kirkpatrick, Gelatt and Vecchi, 1983): a move gives one or two gaps another label,
 * and {@link PlaceTransfers} says what comes of it. Minimises the time of the step, with a penalty on what exceeds the
 * budget whose weight follows how often the search is within it.
 */
final class LabelSearch {
    private static final int PERIOD = 500;
    private static final double LEAST_WITHIN = 0.3;
    private static final double MOST_WITHIN = 0.5;
    private static final double WEIGHT_STEP = 1.2;
    private static final double MOST_WEIGHT = 100;

    /**
     * How long and how hot.
     *
     * @param work number of runs looked at in all moves together
     * @param first temperature at the start, as a part of the mean cost of a node
     * @param last temperature at the end
     * @param seed of chance
     */
    record Walk(long work, double first, double last, long seed) {}

    private final RematProblem problem;
    private final StorageGaps gaps;
    private final LabelledRuns runs;
    private final PlaceTransfers places;
    private final long budget;
    private final SearchListener listener;
    private final int[] open;
    private int[] labels;
    private int[] best;
    private long bestBeyondTiers;
    private long bestExcess;
    private long bestTime;
    private double weight;

    /** Whether a search can start from the labels: they can be followed. */
    static boolean possible(RematProblem problem, StorageGaps gaps, int[] labels) {
        return new LabelledRuns(problem, gaps).follow(labels);
    }

    /** Starts from labels that can be followed. */
    LabelSearch(RematProblem problem, StorageGaps gaps, int[] start, PlannerOptions options) {
        this.problem = problem;
        this.gaps = gaps;
        budget = options.budgetBytes().orElseThrow();
        listener = options.listener();
        runs = new LabelledRuns(problem, gaps);
        places = new PlaceTransfers(problem, runs, budget);
        open = IntStream.range(0, gaps.count()).filter(gaps::open).toArray();
        labels = start.clone();
        best = start.clone();
        if (!tried()) {
            throw new IllegalArgumentException("the labels to start from cannot be followed");
        }
        bestBeyondTiers = places.beyondTiers();
        bestExcess = places.excess();
        bestTime = places.makespan();
        weight = problem.baselineCost();
    }

    /** Whether the best labels so far keep within the tiers, as sequences must. */
    boolean keepsWithinTiers() {
        return bestBeyondTiers == 0;
    }

    OperatorSequence sequence(String strategy) {
        runs.follow(best);
        return places.sequence(strategy);
    }

    /** Goes on from the best so far, which is never lost. */
    void walk(Walk walk) {
        if (open.length == 0) {
            return;
        }
        SplittableRandom random = new SplittableRandom(walk.seed());
        double scale = (double) problem.baselineCost() / Math.max(1, problem.nodeCount());
        labels = best.clone();
        double energy = energy(bestTime, bestExcess);
        long excess = bestExcess;
        long time = bestTime;
        int within = 0;
        long work = 0;
        for (int i = 1; work < walk.work(); i++) {
            if (i % PERIOD == 0) {
                adaptWeight((double) within / PERIOD);
                within = 0;
                energy = energy(time, excess);
                if (listener.expired()) {
                    break;
                }
            }
            double temperature =
                    scale * walk.first() * Math.pow(walk.last() / walk.first(), (double) work / walk.work());
            double limit = energy - temperature * Math.log(1 - random.nextDouble());
            int one = open[random.nextInt(open.length)];
            int other = random.nextInt(3) == 0 ? one : open[random.nextInt(open.length)];
            int before = labels[one];
            int beside = labels[other];
            labels[one] = relabel(one, random);
            if (other != one) {
                labels[other] = random.nextBoolean() && gaps.allows(other, StorageGaps.kind(before))
                        ? before
                        : relabel(other, random);
            }
            boolean possible = tried();
            work += runs.runs().size();
            double changed = possible ? energy(places.makespan(), places.excess()) : Double.POSITIVE_INFINITY;
            if (changed > limit) {
                labels[other] = beside;
                labels[one] = before;
            } else {
                energy = changed;
                excess = places.excess();
                time = places.makespan();
                noteBest();
            }
            within += excess == 0 ? 1 : 0;
        }
    }

    private boolean tried() {
        boolean possible = runs.follow(labels);
        if (possible) {
            places.place();
        }
        return possible;
    }

    private int relabel(int gap, SplittableRandom random) {
        int kinds = StorageGaps.OFFLOAD + problem.tiers().size();
        int label;
        do {
            label = StorageGaps.label(random.nextInt(kinds), random.nextBoolean());
        } while (!gaps.allows(gap, StorageGaps.kind(label)) || label == labels[gap]);
        return label;
    }

    private double energy(long time, long excess) {
        return time + weight * excess / Math.max(1, budget);
    }

    private void adaptWeight(double within) {
        double next =
                within < LEAST_WITHIN ? weight * WEIGHT_STEP : within > MOST_WITHIN ? weight / WEIGHT_STEP : weight;
        weight = Math.min(next, MOST_WEIGHT * Math.max(1, problem.baselineCost()));
    }

    private void noteBest() {
        long excess = places.excess();
        long time = places.makespan();
        long beyondTiers = places.beyondTiers();
        boolean sameMemory = beyondTiers == bestBeyondTiers && excess == bestExcess;
        if (beyondTiers < bestBeyondTiers
                || beyondTiers == bestBeyondTiers && excess < bestExcess
                || sameMemory && time < bestTime) {
            bestBeyondTiers = beyondTiers;
            bestExcess = excess;
            bestTime = time;
            best = labels.clone();
        }
    }
}
