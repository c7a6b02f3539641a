package dev.remat.ir.op;

import java.util.Optional;

/**
 * Changes a parameter, operand 0, and the optimizer's state by the gradient, operand 1, which may be of another
 * floating dtype than the parameter.
 */
public sealed interface OptimizerUpdate extends AfterLoss, Update
        permits AdafactorUpdate, AdagradUpdate, AdamUpdate, AdamVariantUpdate, LionUpdate, RmsPropUpdate, SgdUpdate {
    /** The optimizer's update in one that may have a condition, and be of some rows alone. */
    static Optional<OptimizerUpdate> in(Update update) {
        return switch (update) {
            case OptimizerUpdate whole -> Optional.of(whole);
            case UpdateRows rows -> Optional.of(rows.update());
            case ConditionalUpdate conditional -> in(conditional.update());
            case Assign _, AverageUpdate _, MicroBatchUpdate _, RunningStatistics _ -> Optional.empty();
        };
    }
}
