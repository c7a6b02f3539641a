package dev.remat.ir.execution;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.InputKind;

/**
 * A tensor that is in the arena when the step begins.
 *
 * @param value its id in the plan
 * @param name as in the model: {@code block.0.attention.qkv.weight}
 */
public record ArenaTensor(
        int value,
        String name,
        TensorType type,
        InputKind kind,
        Initializer initializer,
        long offset,
        Location location) {
    /** A number of the step: the one that counts it, or the seed. */
    public static ArenaTensor ofStep(int value, InputKind kind, long offset) {
        return new ArenaTensor(
                value, kind.label(), TensorType.scalar(DType.I64), kind, Initializer.ZEROS, offset, Location.NONE);
    }
}
