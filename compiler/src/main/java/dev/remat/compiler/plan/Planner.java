package dev.remat.compiler.plan;

import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;

/**
 * A strategy: decides from bytes, costs, edges and pins alone which node runs when. Every answer is a valid sequence
 * under {@link SequenceEvaluator} and the same for the same problem and options.
 */
public interface Planner {
    /** As the user names it: {@code keep-all}. */
    String name();

    /** Whether the listener of a search is told what {@code LowerBounds} can prove. */
    default boolean provesBounds() {
        return false;
    }

    /** Whether it may be asked about problems with tiers, and moves values there. */
    default boolean movesValues() {
        return false;
    }

    /**
     * What to ask for less where {@code start}, which this planner made, takes too much once it is laid out: by what
     * goes on from it where there is such a thing, else once more from the beginning.
     */
    default Planner onwardFrom(OperatorSequence start) {
        return this;
    }

    /** A valid sequence; whether it fits a budget in the options is for the evaluator to say. */
    OperatorSequence plan(RematProblem problem, PlannerOptions options);
}
