package dev.remat.compiler.known;

import dev.remat.compiler.plan.LowerBound;
import dev.remat.ir.plan.OperatorSequence;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a search found, so far as it takes long to find: the sequence with its layouts, from which all else follows and
 * is checked, and what was measured or proved on the way.
 *
 * @param problem hash of the problem that the sequence solves
 * @param stateBelow whether that is one with state below the arena, since no other plan fits
 * @param cost of the sequence, as the evaluator says
 * @param layouts offsets of buffers, in the order in which the plan asks for them
 * @param bytes of the arena
 * @param budgetBytes that were asked for
 * @param keepAllBytes of the plan that recomputes nothing but what pins ask for
 * @param smallestFoundBytes of all plans that were measured
 * @param bound no plan within the budget costs less
 * @param tighteningRounds of the search
 */
public record KnownPlan(
        String problem,
        boolean stateBelow,
        OperatorSequence sequence,
        long cost,
        List<List<Long>> layouts,
        long bytes,
        OptionalLong budgetBytes,
        long keepAllBytes,
        long smallestFoundBytes,
        LowerBound bound,
        int tighteningRounds) {
    public KnownPlan {
        layouts = List.copyOf(layouts);
    }
}
