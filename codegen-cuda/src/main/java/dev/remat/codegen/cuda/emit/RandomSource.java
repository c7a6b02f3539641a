package dev.remat.codegen.cuda.emit;

import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.op.DrawnRows;

/**
 * Where random draws come from: addresses in the arena, {@link ParameterType#NULL} in a plan that does not draw.
 *
 * @param seed the user's seed, the key of every draw, an i64
 * @param stepNumber the step's number, an i64
 * @param microBatch number of the micro-batch, an i64; null too in a plan that draws for whole tensors, or for pieces
 *     that are named
 */
public record RandomSource(long seed, long stepNumber, long microBatch) {
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

    /** The type of what {@link #declare(KernelCall, DrawnRows, boolean)} returns. */
    static String type(DrawnRows rows, boolean narrow) {
        return "Piece<" + (narrow ? "u32" : "u64") + ", " + (rows.block().value() % 4 == 0)
                + (rows.piece().isPresent() ? ", u32" : "") + ">";
    }

    /**
     * Declares which elements of a larger tensor are drawn for, as parameters.
     *
     * @param narrow whether elements of the piece are counted in 32 bits
     * @return the C++ expression of a {@code Piece}
     */
    String declare(KernelCall call, DrawnRows rows, boolean narrow) {
        call.header("pieces.cuh");
        long block = rows.block().value();
        String number = number(call, rows);
        String extent = call.u64(block);
        String divisor = narrow ? call.u64(Divisor.magic(block)) : extent;
        return type(rows, narrow) + "{" + number + ", " + extent + ", " + divisor + ", " + call.u32(rows.pieces() - 1)
                + "}";
    }

    /** The number of a piece that is named, else where that of the micro-batch lies. */
    private String number(KernelCall call, DrawnRows rows) {
        if (rows.piece().isPresent()) {
            return call.u32(rows.piece().getAsInt());
        }
        if (microBatch == ParameterType.NULL) {
            throw new IllegalStateException("a plan that draws for pieces of tensors has no micro-batch");
        }
        return call.pointer("const i64", microBatch);
    }
}
