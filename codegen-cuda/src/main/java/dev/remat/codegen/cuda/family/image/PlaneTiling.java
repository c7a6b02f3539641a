package dev.remat.codegen.cuda.family.image;

import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.ir.TensorType;

/**
 * How images are divided among blocks: each takes the same box out of some neighbouring planes.
 *
 * @param planes images times channels
 * @param tilePlanes planes of a box, likewise {@code tileHeight} and {@code tileWidth}
 */
public record PlaneTiling(long planes, long height, long width, long tilePlanes, long tileHeight, long tileWidth) {
    /** Rows are cut only where they are longer, so that most boxes lie in one piece. */
    private static final long WIDEST = 128;

    public PlaneTiling {
        if (height * width >= 1L << 31) {
            throw new IllegalArgumentException("no kernel for images of " + height + " x " + width);
        }
    }

    /** Boxes of at most {@code pixels} pixels over the images of {@code type}, evenly divided. */
    static PlaneTiling of(TensorType type, long pixels) {
        long[] dims = type.shape().toArray();
        return of(dims[0] * dims[1], dims[2], dims[3], pixels);
    }

    public static PlaneTiling of(long planes, long height, long width, long pixels) {
        long tileWidth = even(width, Math.min(WIDEST, pixels));
        long tileHeight = even(height, pixels / tileWidth);
        long tilePlanes = even(planes, pixels / (tileWidth * tileHeight));
        return new PlaneTiling(planes, height, width, tilePlanes, tileHeight, tileWidth);
    }

    /** The longest part when {@code extent} is cut into the fewest parts of at most {@code most}, all about equal. */
    private static long even(long extent, long most) {
        return ceil(extent, ceil(extent, most));
    }

    private static long ceil(long a, long b) {
        return (a + b - 1) / b;
    }

    private long across() {
        return ceil(width, tileWidth);
    }

    private long down() {
        return ceil(height, tileHeight);
    }

    public long blocks() {
        return across() * down() * ceil(planes, tilePlanes);
    }

    /** Declares the parameters of a {@code PlaneTiles} and returns the expression that makes it. */
    public String declare(KernelCall call) {
        call.header("planes.cuh");
        return KernelCall.struct(
                "PlaneTiles",
                call.u32(planes),
                call.u32(height),
                call.u32(width),
                call.u32(tilePlanes),
                call.u32(tileHeight),
                call.u32(tileWidth),
                call.u32(across()),
                call.u32(down()),
                call.u64(Divisor.magic(across())),
                call.u64(Divisor.magic(down())),
                call.u64(Divisor.magic(tileHeight * tileWidth)),
                call.u64(Divisor.magic(tileWidth)));
    }
}
