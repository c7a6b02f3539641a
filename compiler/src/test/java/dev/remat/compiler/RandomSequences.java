package dev.remat.compiler;

import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Valid sequences that recompute groups at random, whether that is of any use or not. */
public final class RandomSequences {
    private RandomSequences() {}

    /** The given order with up to {@code recomputations} more computations of groups that have run already. */
    public static OperatorSequence of(RematProblem problem, Random random, int recomputations) {
        List<Integer> steps = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (!problem.residentNode(n)) {
                steps.add(n);
            }
        }
        OperatorSequence best = sequence(steps);
        for (int i = 0; i < recomputations; i++) {
            int at = 1 + random.nextInt(steps.size());
            int node = steps.get(random.nextInt(at));
            if (problem.once(node) || problem.pin(node) == Pin.RETAIN) {
                continue;
            }
            steps.add(at, node);
            OperatorSequence tried = sequence(steps);
            if (SequenceEvaluator.evaluate(problem, tried).valid()) {
                best = tried;
            } else {
                steps.subList(at, at + 1).clear();
            }
        }
        return best;
    }

    private static OperatorSequence sequence(List<Integer> steps) {
        return new OperatorSequence(
                "random", steps.stream().mapToInt(Integer::intValue).toArray(), List.of());
    }
}
