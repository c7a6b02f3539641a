package dev.remat.compiler.solve;

import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.search.Choice;
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

    /** The answer of a search, proven to be the best within the bound's scope if it costs just that. */
    public static SolveAnswer of(String problem, Choice<?> choice) {
        SequenceEvaluation evaluation = choice.plan().evaluation();
        LowerBound bound = choice.bound();
        return new SolveAnswer(
                problem,
                choice.plan().sequence(),
                choice.budgetBytes(),
                OptionalLong.of(evaluation.peakBytes()),
                OptionalLong.of(evaluation.cost()),
                OptionalLong.of(evaluation.baselineCost()),
                OptionalLong.of(bound.cost()),
                Optional.of(bound.scope().text()),
                evaluation.cost() == bound.cost(),
                OptionalLong.of(choice.floor().bytes()),
                OptionalLong.of(choice.smallestFoundBytes()),
                OptionalDouble.empty());
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
