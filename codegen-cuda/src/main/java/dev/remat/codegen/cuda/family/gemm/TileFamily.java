package dev.remat.codegen.cuda.family.gemm;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import java.util.List;

/**
 * One way to multiply matrices: a device function of its own in the resource {@code <name>.cuh}, called as
 * {@code <name><Tile, V>(a, b, place, output, shape)}, and the tiles it comes in.
 */
sealed interface TileFamily permits SimtTiles, TensorCoreTiles, WarpgroupTiles {
    String name();

    /** Whether it may be taken without having run on a real GPU, or has. */
    default boolean isAllowed(CodegenOptions options) {
        return options.allows(name());
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

    /**
     * What one block computes: {@code m x n} sums, {@code depth} terms at a time.
     *
     * @param label as {@link dev.remat.codegen.cuda.target.TilePolicy} names it
     * @param type the C++ type that describes it
     * @param sharedBytes dynamic shared memory of a block
     * @param resident blocks that fit on a multiprocessor at once
     * @param efficiency share of the peak rate that so many blocks reach together
     * @param alone share of that efficiency that one block alone reaches
     */
    record Tile(
            String label,
            String type,
            int m,
            int n,
            int depth,
            int threads,
            int sharedBytes,
            int resident,
            double efficiency,
            double alone) {
        /** Share of the peak rate that {@code blocks} blocks on a multiprocessor reach. */
        double rate(long blocks) {
            double missing = resident == 1 ? 0 : (double) (resident - Math.min(blocks, resident)) / (resident - 1);
            return efficiency * (1 - (1 - alone) * missing);
        }

        long tiles(GemmProblem problem) {
            return Math.multiplyExact(problem.batches(), Math.ceilDiv(problem.m(), m) * Math.ceilDiv(problem.n(), n));
        }

        long steps(GemmProblem problem) {
            return Math.ceilDiv(problem.k(), depth);
        }
    }

    /**
     * How a product is computed.
     *
     * @param splits blocks that share the sum of one tile
     * @param splitDepth terms of each but the last
     * @param apart whether partial sums go through the workspace, as they do where the whole product has several splits
     */
    record Choice(TileFamily family, Tile tile, long splits, long splitDepth, boolean apart) {
        /** Shares whole steps of {@code tile} among up to {@code splits} blocks, none of them without any. */
        static Choice of(TileFamily family, Tile tile, GemmProblem problem, long splits) {
            long each = Math.ceilDiv(tile.steps(problem), splits);
            long count = Math.ceilDiv(tile.steps(problem), each);
            return new Choice(family, tile, count, each * tile.depth(), count > 1);
        }

        /** The same way for a chunk of the product, which ends where a split does unless it is the last. */
        Choice chunk(GemmProblem problem) {
            long count = Math.ceilDiv(problem.k(), splitDepth);
            return new Choice(family, tile, count, splitDepth, apart);
        }

        long workspaceBytes(GemmProblem problem) {
            return apart ? Math.multiplyExact(splits, problem.sumBytes()) : 0;
        }
    }
}
