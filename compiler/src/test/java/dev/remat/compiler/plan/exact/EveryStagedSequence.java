package dev.remat.compiler.plan.exact;

import dev.remat.compiler.plan.BruteForce;
import dev.remat.compiler.plan.evaluate.SequenceChecker;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The least cost of a small problem without updates: tries every sequence that a scope with ordered recomputations
 * covers.
 */
final class EveryStagedSequence {
    private final RematProblem problem;
    private final long budget;
    private final int mostComputations;
    private final int[] computations;
    private long best;

    private EveryStagedSequence(RematProblem problem, long budget, int mostComputations, long below) {
        this.problem = problem;
        this.budget = budget;
        this.mostComputations = mostComputations;
        computations = new int[problem.nodeCount()];
        best = below;
    }

    /** @param below empty if there is none cheaper than this */
    static OptionalLong leastCost(RematProblem problem, long budget, int mostComputations, long below) {
        EveryStagedSequence every = new EveryStagedSequence(problem, budget, mostComputations, below);
        every.extend(List.of(), 0, 0, problem.baselineCost());
        return every.best < below ? OptionalLong.of(every.best) : OptionalLong.empty();
    }

    /** @param from the next recomputation of the stage is of this node or a later one */
    private void extend(List<Integer> prefix, int stage, int from, long cost) {
        if (cost >= best) {
            return;
        }
        int next = stage;
        while (next < problem.nodeCount() && problem.residentNode(next)) {
            next++;
        }
        if (next == problem.nodeCount()) {
            int[] all = prefix.stream().mapToInt(Integer::intValue).toArray();
            OperatorSequence sequence = new OperatorSequence("every", all, List.of());
            boolean fits = SequenceChecker.violations(problem, sequence).isEmpty()
                    && BruteForce.peak(problem, sequence) <= budget;
            best = fits ? cost : best;
        } else {
            extend(with(prefix, next), next + 1, 0, cost);
        }
        for (int n = from; n < stage; n++) {
            if (!problem.residentNode(n) && computations[n] + 1 < mostComputations) {
                computations[n]++;
                extend(with(prefix, n), stage, n + 1, cost + problem.cost(n));
                computations[n]--;
            }
        }
    }

    private static List<Integer> with(List<Integer> prefix, int node) {
        return Stream.concat(prefix.stream(), Stream.of(node)).toList();
    }
}
