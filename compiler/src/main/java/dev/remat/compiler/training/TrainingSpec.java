package dev.remat.compiler.training;

import dev.remat.ir.DType;
import dev.remat.ir.op.LearningRateSchedule;
import java.util.OptionalDouble;

/**
 * What the {@code train} block says.
 *
 * @param schedule learning rate by step
 * @param clipNorm largest Euclidean norm of all gradients together
 * @param precision dtype of activations and of the copies of parameters that compute; parameters stay f32
 * @param seed of every random draw
 */
public record TrainingSpec(
        Optimizer optimizer, LearningRateSchedule schedule, OptionalDouble clipNorm, DType precision, long seed) {
    public TrainingSpec {
        if (!precision.isFloat()) {
            throw new IllegalArgumentException("precision " + precision.label() + " is not a float");
        }
    }

    public TrainingSpec withSeed(long other) {
        return new TrainingSpec(optimizer, schedule, clipNorm, precision, other);
    }
}
