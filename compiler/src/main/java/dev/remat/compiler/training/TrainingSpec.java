package dev.remat.compiler.training;

import dev.remat.ir.DType;
import dev.remat.ir.op.LearningRateSchedule;
import java.util.OptionalDouble;

/**
 * What the {@code train} block says.
 *
 * @param schedule learning rate by step
 * @param clipNorm largest Euclidean norm of all gradients together
 * @param precision dtype of activations and of the copies of parameters that compute, while parameters stay f32; with
 *     f64 everything is f64, parameters too
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

    public TrainingSpec withPrecision(DType other) {
        return new TrainingSpec(optimizer, schedule, clipNorm, other, seed);
    }
}
