package dev.remat.codegen.cuda.family;

/**
 * What one block computes: {@code m x n} sums, {@code depth} terms at a time.
 *
 * @param label as {@link dev.remat.codegen.cuda.TilePolicy} names it
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
