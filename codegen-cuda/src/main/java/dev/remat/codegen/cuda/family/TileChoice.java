package dev.remat.codegen.cuda.family;

/**
 * How a product is computed.
 *
 * @param splits blocks that share the sum of one tile; from 2 on partial sums go through the workspace
 * @param splitDepth terms of each but the last
 */
record TileChoice(TileFamily family, Tile tile, long splits, long splitDepth) {
    /** Shares whole steps of {@code tile} among up to {@code splits} blocks, none of them without any. */
    static TileChoice of(TileFamily family, Tile tile, GemmProblem problem, long splits) {
        long each = Math.ceilDiv(tile.steps(problem), splits);
        return new TileChoice(family, tile, Math.ceilDiv(tile.steps(problem), each), each * tile.depth());
    }

    long workspaceBytes(GemmProblem problem) {
        return splits == 1 ? 0 : Math.multiplyExact(splits, problem.sumBytes());
    }
}
