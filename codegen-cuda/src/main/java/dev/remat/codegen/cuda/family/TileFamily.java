package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.Architecture;
import dev.remat.codegen.cuda.CodegenOptions;
import dev.remat.codegen.cuda.VerifiedFamilies;
import dev.remat.ir.DType;
import java.util.List;

/**
 * One way to multiply matrices: a device function of its own in the resource {@code <name>.cuh}, called as
 * {@code <name><Tile, V>(a, b, place, output, shape)}, and the tiles it comes in.
 */
sealed interface TileFamily permits PlainTiles, TensorCoreTiles {
    String name();

    /** Whether it may be taken without having run on a real GPU, or has. */
    default boolean isAllowed(CodegenOptions options) {
        return VerifiedFamilies.contains(name()) || options.allowUnverified();
    }

    /** Whether products of {@code dtype} may be computed so. */
    boolean computes(DType dtype, CodegenOptions options);

    /** Tiles for an architecture, the largest first. */
    List<Tile> tiles(Architecture architecture, DType dtype);

    /**
     * The tile that computes in {@code tile}'s place where operands are read in small chunks, which takes more
     * registers. Every sum adds the same terms in the same order, so that addresses change no bit.
     */
    Tile loose(Tile tile);

    /** Multiplications with additions that a multiprocessor finishes in a cycle at its peak. */
    double peak(Architecture architecture, DType dtype);

    /** Most neighbouring results that are stored at once. */
    int width();
}
