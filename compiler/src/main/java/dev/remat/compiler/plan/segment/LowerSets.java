package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * Chooses a chain of lower sets of the forward, keeps the boundary of each, and recomputes the rest set by set, at the
 * least cost under a limit: dynamic programming over (lower set, recomputed cost) for the least memory (Kusumoto,
 * Inoue, Watanabe, Akiba and Koyama, 2019). Feng and Huang (2021) show that such chains are enough on general graphs.
 *
 * <p>The lower sets are prefixes of the given order, cut where least crosses, at most {@value #MOST_CUTS} of them;
 * costs are rounded up to one of {@value #COSTS}. The limit inside the programme is swept, and the exact evaluator
 * judges.
 */
public final class LowerSets implements BackwardPlanner {
    private static final int MOST_CUTS = 64;
    private static final int COSTS = 256;
    private static final int LIMITS = 24;

    @Override
    public String name() {
        return "lower-sets";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        SegmentTrials trials = new SegmentTrials(name(), problem, options);
        trials.offer(Segmentation.balanced(trials.graph(), 1, trials.cutVertices()));
        for (int cuts = MOST_CUTS; cuts >= MOST_CUTS / 4 && !options.listener().expired(); cuts /= 2) {
            boolean[] anywhere = new boolean[trials.graph().size()];
            for (boolean[] preferred : new boolean[][] {trials.cutVertices(), anywhere}) {
                Segmentation finest = Segmentation.balanced(trials.graph(), cuts, preferred);
                SegmentBytes bytes = SegmentBytes.of(trials.graph(), finest);
                for (int i = 1; i <= LIMITS; i++) {
                    IntList chain = chain(bytes, bytes.total() / LIMITS * i);
                    if (chain.size() > 0) {
                        trials.offer(Segmentation.at(trials.graph(), chain));
                    }
                }
            }
        }
        return trials.best();
    }

    /** Positions of the cuts of the cheapest chain of lower sets within the limit; empty if there is none. */
    static IntList chain(SegmentBytes bytes, long limit) {
        int sets = bytes.segments();
        double unit = Math.max(1e-9, (double) bytes.totalCost() / (COSTS - sets - 1));
        long[][] least = new long[sets + 1][COSTS];
        int[][] from = new int[sets + 1][COSTS];
        int[][] fromCost = new int[sets + 1][COSTS];
        for (long[] row : least) {
            Arrays.fill(row, Long.MAX_VALUE);
        }
        least[0][0] = 0;
        for (int end = 1; end <= sets; end++) {
            for (int begin = 0; begin < end; begin++) {
                boolean last = end == sets;
                long within = bytes.saved(begin, end);
                long boundary = last ? 0 : bytes.boundary(begin, end);
                int cost = last ? 0 : (int) Math.ceil(bytes.recomputed(begin, end) / unit);
                for (int c = 0; c + cost < COSTS; c++) {
                    boolean fits = least[begin][c] != Long.MAX_VALUE && least[begin][c] + within <= limit;
                    if (fits && least[begin][c] + boundary < least[end][c + cost]) {
                        least[end][c + cost] = least[begin][c] + boundary;
                        from[end][c + cost] = begin;
                        fromCost[end][c + cost] = c;
                    }
                }
            }
        }
        IntList cuts = new IntList();
        int cost = 0;
        while (cost < COSTS && least[sets][cost] == Long.MAX_VALUE) {
            cost++;
        }
        for (int end = sets; end > 0 && cost < COSTS; ) {
            int begin = from[end][cost];
            cost = fromCost[end][cost];
            end = begin;
            if (begin > 0) {
                cuts.add(bytes.begin(begin));
            }
        }
        return cuts.reversed();
    }
}
