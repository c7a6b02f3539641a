package dev.remat.compiler.solve;

import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.SequenceEvaluation;
import dev.remat.ir.plan.OperatorSequence;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A sequence for a problem with what is claimed of it; a claim that was not made is empty.
 *
 * @param problem name of the problem
 * @param budgetBytes peak that was asked for
 * @param lowerBoundCost no sequence within the bound's scope is cheaper
 * @param boundScope what the lower bound covers, such as {@code any-order}
 * @param proven whether cost equals the lower bound
 * @param floorBytes no sequence needs less memory, proven
 * @param smallestFoundBytes the lesser peak of this sequence and of the given order
 * @param seconds that it took
 */
public record SolveAnswer(
        String problem,
        OperatorSequence sequence,
        OptionalLong budgetBytes,
        OptionalLong peakBytes,
        OptionalLong cost,
        OptionalLong baselineCost,
        OptionalLong lowerBoundCost,
        Optional<String> boundScope,
        boolean proven,
        OptionalLong floorBytes,
        OptionalLong smallestFoundBytes,
        OptionalDouble seconds) {

    /** An answer that claims what the evaluator found. */
    public static SolveAnswer of(String problem, OperatorSequence sequence, SequenceEvaluation evaluation) {
        return new SolveAnswer(
                problem,
                sequence,
                OptionalLong.empty(),
                OptionalLong.of(evaluation.peakBytes()),
                OptionalLong.of(evaluation.cost()),
                OptionalLong.of(evaluation.baselineCost()),
                OptionalLong.empty(),
                Optional.empty(),
                false,
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalDouble.empty());
    }

    public SolveAnswer withBudget(OptionalLong bytes) {
        return new SolveAnswer(
                problem,
                sequence,
                bytes,
                peakBytes,
                cost,
                baselineCost,
                lowerBoundCost,
                boundScope,
                proven,
                floorBytes,
                smallestFoundBytes,
                seconds);
    }

    /** Proven to be the best within the bound's scope if it costs just that. */
    public SolveAnswer withLowerBound(LowerBound bound) {
        return new SolveAnswer(
                problem,
                sequence,
                budgetBytes,
                peakBytes,
                cost,
                baselineCost,
                OptionalLong.of(bound.cost()),
                Optional.of(bound.scope().text()),
                cost.isPresent() && cost.getAsLong() == bound.cost(),
                floorBytes,
                smallestFoundBytes,
                seconds);
    }

    public SolveAnswer withMemoryFound(long floor, long smallestFound) {
        return new SolveAnswer(
                problem,
                sequence,
                budgetBytes,
                peakBytes,
                cost,
                baselineCost,
                lowerBoundCost,
                boundScope,
                proven,
                OptionalLong.of(floor),
                OptionalLong.of(smallestFound),
                seconds);
    }

    public SolveAnswer withSeconds(double taken) {
        return new SolveAnswer(
                problem,
                sequence,
                budgetBytes,
                peakBytes,
                cost,
                baselineCost,
                lowerBoundCost,
                boundScope,
                proven,
                floorBytes,
                smallestFoundBytes,
                OptionalDouble.of(taken));
    }
}
