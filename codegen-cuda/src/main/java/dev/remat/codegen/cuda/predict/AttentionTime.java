package dev.remat.codegen.cuda.predict;

import dev.remat.codegen.cuda.predict.AttentionShape.Part;
import dev.remat.codegen.cuda.sass.ExecutedPath;
import dev.remat.codegen.cuda.sass.Loop;
import dev.remat.codegen.cuda.sass.Opcode;
import dev.remat.ir.artifact.Launch;
import java.util.List;

/**
 * The time of attention.
 *
 * @param flops additions and multiplications that it executes
 * @param cycles of one multiprocessor that all blocks together take
 * @param longest cycles of the longest block
 */
record AttentionTime(double flops, double cycles, double longest) {
    /**
     * What a round takes beyond the busiest pipe: warps wait for each other, for maxima and sums, and products in a
     * chain for what the last one gave. Set so that times are what the best kernels of this kind reach.
     */
    private static final double WAITING = 1.35;

    /** More blocks than any head has; damaged extents may ask for more. */
    private static final double MOST_BLOCKS = 1 << 20;

    private static final double FORWARD = 1.9;
    private static final double BACKWARD = 1.5;

    static AttentionTime of(CompiledKernel kernel, Launch launch, AttentionShape shape) {
        return kernel.loopOf(Opcode.HMMA)
                .map(main -> byFragments(kernel, launch, shape, main))
                .orElseGet(() -> byThreads(kernel, shape));
    }

    /**
     * On tensor cores: pairs of a block's own rows and as many others as are in shared memory at once, each a round of
     * the loop that multiplies, on the way where nothing is masked. Causal blocks are of unequal length, and fill
     * multiprocessors evenly.
     */
    private static AttentionTime byFragments(CompiledKernel kernel, Launch launch, AttentionShape shape, Loop main) {
        double products = kernel.products(main, launch);
        double rows = Math.max(
                1, Math.rint(shape.own() * shape.ownHeads() / launch.grid().count()));
        double others = Math.max(1, Math.rint(products / (rows * shape.terms())));
        double tiles = 0;
        double longest = 0;
        for (long block = 0; block < Math.min(MOST_BLOCKS, Math.ceil(shape.own() / rows)); block++) {
            double each = shape.tiles(rows, others, block);
            tiles += each;
            longest = Math.max(longest, each);
        }
        ExecutedPath path = kernel.shortestRound(main);
        double round = WAITING
                * (shape.part() == Part.FORWARD ? FORWARD : BACKWARD)
                * Pipes.of(kernel, main, path, launch).cyclesTogether();
        double rounds = shape.heads() * tiles;
        return new AttentionTime(
                2 * products * rounds, rounds * round, longest * shape.heads() / shape.ownHeads() * round);
    }

    /** Without tensor cores: all that is issued in the loops that multiply, for each multiplication. */
    private static AttentionTime byThreads(CompiledKernel kernel, AttentionShape shape) {
        Opcode opcode = kernel.loopOf(Opcode.FFMA).isPresent() ? Opcode.FFMA : Opcode.DFMA;
        List<Loop> loops = kernel.flow().innermost(opcode);
        double issued =
                loops.stream().mapToDouble(loop -> loop.end() - loop.first()).sum();
        double products =
                loops.stream().mapToDouble(loop -> kernel.count(loop, opcode)).sum();
        double needed = shape.pairs() * shape.terms();
        double each = products == 0 ? 1 : issued / products;
        double cycles = WAITING * needed / SassModel.WARP * each / SassModel.SCHEDULERS;
        return new AttentionTime(2 * needed, cycles, 0);
    }

    double nanos(SassModel model) {
        return model.nanos(Math.max(longest, cycles / model.multiprocessors()));
    }
}
