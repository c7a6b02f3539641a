package dev.remat.codegen.cuda.emit;

import dev.remat.ir.artifact.ParameterType;

/**
 * Where random draws come from.
 *
 * @param seed the user's seed, the key of every draw
 * @param stepNumber address of the step's number in the arena, an i64; {@link ParameterType#NULL} in a plan without one
 */
public record RandomSource(long seed, long stepNumber) {
    /** Declares seed and step number as parameters and returns the C++ expression of a {@code Draws}. */
    String declare(KernelCall call, int ordinal) {
        if (stepNumber == ParameterType.NULL) {
            throw new IllegalStateException("a plan that draws random numbers has no step number");
        }
        call.header("philox.cuh");
        String key = call.u64(seed);
        String step = call.pointer("const i64", stepNumber);
        return "Draws{" + key + ", " + step + ", " + call.u32(ordinal) + "}";
    }
}
