package dev.remat.codegen.cuda.emit;

import dev.remat.ir.artifact.ParameterType;

/**
 * Where random draws come from: two addresses in the arena, {@link ParameterType#NULL} in a plan that does not draw.
 *
 * @param seed the user's seed, the key of every draw, an i64
 * @param stepNumber the step's number, an i64
 */
public record RandomSource(long seed, long stepNumber) {
    /** Declares seed and step number as parameters and returns the C++ expression of a {@code Draws}. */
    String declare(KernelCall call, int ordinal) {
        if (seed == ParameterType.NULL || stepNumber == ParameterType.NULL) {
            throw new IllegalStateException("a plan that draws random numbers has no step number or no seed");
        }
        call.header("philox.cuh");
        String key = call.pointer("const i64", seed);
        String step = call.pointer("const i64", stepNumber);
        return "Draws{" + key + ", " + step + ", " + call.u32(ordinal) + "}";
    }
}
