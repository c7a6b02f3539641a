package dev.remat.compiler.search;

import dev.remat.compiler.plan.LowerBound;
import java.util.OptionalLong;

/**
 * The plan that a search took, and what it is held against.
 *
 * @param keepAll the plan that recomputes nothing but what pins ask for
 * @param smallestFoundBytes of all plans that were measured
 * @param bound no plan within the budget costs less, as strategies reckon memory
 * @param tighteningRounds times that the strategy was asked for less than the budget, because a plan took more than its
 *     peak
 */
public record Choice<C extends Candidate>(
        C plan,
        MeasuredPlan keepAll,
        MemoryFloor floor,
        OptionalLong budgetBytes,
        long smallestFoundBytes,
        LowerBound bound,
        int tighteningRounds) {}
