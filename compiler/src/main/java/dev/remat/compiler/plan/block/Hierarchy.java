package dev.remat.compiler.plan.block;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.BestSequence;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.TimeIsUpException;
import dev.remat.compiler.plan.build.RemoveRecomputations;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.build.SequenceBuilder;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.plan.segment.ForwardGraph;
import dev.remat.compiler.plan.segment.SmallValues;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import java.util.Arrays;

/**
 * Cuts the forward into blocks, finds for each distinct block what is worth keeping of it at each of a ladder of
 * prices a byte, and groups the blocks of the chain so that what is kept and what each group's backward takes stay
 * within the budget at the least cost. Where a real peak differs from the modelled one, the model is corrected and
 * solved again.
 *
 * <p>Hierarchical planning with several options a block as Rockmate (Zhao et al., 2023); blocks are told apart by their
 * structure, so that equal layers cost one layer's search.
 */
public final class Hierarchy implements BackwardPlanner {
    private static final int ROUNDS = 8;
    /** Prices go so many powers of two above and below the forward's cost a byte. */
    private static final int OCTAVES = 5;

    private static final int BISECTIONS = 10;

    @Override
    public String name() {
        return "hierarchy";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        Retention free = Retention.required(problem);
        SmallValues.retain(problem, free);
        BestSequence best = new BestSequence(problem, options);
        best.offer(SequenceBuilder.build(name(), problem, free.copy()));
        if (!Retention.hasBackward(problem)) {
            return best.sequence();
        }
        try {
            Search search = new Search(problem, options, free, best);
            boolean fits = options.budgetBytes().isPresent()
                    && search.within(options.budgetBytes().getAsLong());
            if (!fits) {
                search.smallest();
            }
        } catch (TimeIsUpException e) {
            return best.sequence();
        }
        return best.sequence();
    }

    private final class Search {
        private final RematProblem problem;
        private final PlannerOptions options;
        private final Retention free;
        private final BlockChain chain;
        private final BestSequence best;

        Search(RematProblem problem, PlannerOptions options, Retention free, BestSequence best) {
            this.problem = problem;
            this.options = options;
            this.free = free;
            this.best = best;
            ForwardGraph graph = ForwardGraph.of(problem, free);
            chain = BlockChain.of(graph, BlockCuts.of(graph), prices(problem), options.listener());
        }

        /** Searches for the cheapest within a budget; whether anything fits. */
        boolean within(long budget) {
            GroupTable table = new GroupTable(chain, options.listener());
            boolean fits = false;
            int[] last = new int[0];
            for (int round = 0; round < (problem.nodeCount() > SearchLimits.LARGE ? ROUNDS / 2 : ROUNDS); round++) {
                GroupTable.Group[] groups = table.solve(budget - problem.residentBytes());
                OperatorSequence sequence = sequence(groups);
                int[] steps = sequence.steps().toArray();
                if (groups.length == 0 || Arrays.equals(steps, last)) {
                    break;
                }
                last = steps;
                SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, sequence);
                fits |= evaluation.peakBytes() <= budget;
                best.offer(sequence);
                best.offer(RemoveRecomputations.run(problem, sequence, budget, options.listener()));
                long[] real = chain.backwardPeaks(sequence, evaluation.liveBytes());
                long[] model = table.model(groups);
                for (int b = 0; b < real.length; b++) {
                    table.correct(b, real[b] - problem.residentBytes() - model[b]);
                }
            }
            return fits;
        }

        /** Offers what the least limit leads to that the model can meet. */
        void smallest() {
            GroupTable table = new GroupTable(chain, options.listener());
            long high = 1;
            while (table.solve(high).length == 0) {
                high *= 2;
            }
            long low = high / 2;
            for (int i = 0; i < BISECTIONS; i++) {
                long middle = low + (high - low) / 2;
                boolean feasible = table.solve(middle).length > 0;
                low = feasible ? low : middle;
                high = feasible ? middle : high;
            }
            best.offer(sequence(table.solve(high)));
        }

        private OperatorSequence sequence(GroupTable.Group[] groups) {
            Retention retention = free.copy();
            int[] cutsUpTo = new int[chain.graph().size()];
            for (int g = 0; g < groups.length; g++) {
                Arrays.fill(cutsUpTo, chain.begin(groups[g].begin()), chain.begin(groups[g].end()), g);
            }
            for (GroupTable.Group group : groups) {
                for (int b = group.begin(); b < group.end(); b++) {
                    for (int v : chain.values(b, group.choice())) {
                        retention.retain(v, RetainReason.CHOSEN);
                    }
                    for (int v : chain.crossing(b)) {
                        if (chain.graph().crosses(v, cutsUpTo)) {
                            retention.retain(v, RetainReason.SEGMENT_BOUNDARY);
                        }
                    }
                }
            }
            return SequenceBuilder.build(name(), problem, retention);
        }
    }

    /** Cost units a byte, ascending. */
    private static double[] prices(RematProblem problem) {
        double bytes = 1;
        int firstBackward = Retention.firstBackward(problem);
        for (int v = 0; v < problem.valueCount() && problem.producer(v) < firstBackward; v++) {
            bytes += problem.resident(v) ? 0 : problem.bytes(v);
        }
        double unit = forwardCost(problem) / bytes;
        double step = problem.nodeCount() > SearchLimits.LARGE ? 2 : 0.5;
        double[] prices = new double[(int) (2 * OCTAVES / step) + 1];
        for (int i = 0; i < prices.length; i++) {
            prices[i] = unit * Math.pow(2, step * i - OCTAVES);
        }
        return prices;
    }

    private static double forwardCost(RematProblem problem) {
        double costs = 1;
        int firstBackward = Retention.firstBackward(problem);
        for (int n = 0; n < firstBackward; n++) {
            costs += problem.residentNode(n) ? 0 : problem.cost(n);
        }
        return costs;
    }
}
