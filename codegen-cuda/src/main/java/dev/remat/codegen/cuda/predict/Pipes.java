package dev.remat.codegen.cuda.predict;

import dev.remat.codegen.cuda.sass.ExecutedPath;
import dev.remat.codegen.cuda.sass.Loop;
import dev.remat.codegen.cuda.sass.Opcode;
import dev.remat.ir.artifact.Launch;

/**
 * What one round of a loop asks of a multiprocessor by one block, in cycles.
 *
 * @param tensor of each tensor core
 * @param shared of shared memory, for fragments, of which it moves 128 bytes a cycle; copies into it lie behind
 *     branches of which nobody sees how many are taken
 * @param issue of each scheduler
 * @param others of these, cycles that no {@link Opcode#HMMA} takes
 */
record Pipes(double tensor, double shared, double issue, double others) {
    /** A warp's share of an HGMMA of 64 x 128 x 16 on the tensor core of its scheduler: 82 % of the card's peak. */
    private static final double GROUP_CYCLES = 78;

    /** An HMMA of 16 x 8 x 16 on the tensor core of one scheduler: 62 % of the card's peak. */
    private static final double TENSOR_CYCLES = 6.35;

    private static final int SHARED_BYTES = 128;

    /** Cycles of a scheduler for each instruction where only issuing is short: in a fifth it finds no warp ready. */
    static final double ISSUE = 1.25;

    /** The same where threads multiply, each many sums at a time. */
    private static final double PRODUCTS = 1.1;

    /** @param path of a warp through a round of the loop */
    static Pipes of(CompiledKernel kernel, Loop loop, ExecutedPath path, Launch launch) {
        double groups = kernel.count(loop, Opcode.HGMMA);
        if (groups > 0) {
            // The schedulers issue the next round's while tensor cores are at this one's.
            double issue = issueCycles(path.instructions(), launch);
            return new Pipes(Math.max(GROUP_CYCLES * issueCycles(groups, launch), issue), 0, issue, 0);
        }
        double products = kernel.count(loop, Opcode.HMMA);
        double threads = launch.block().count();
        return new Pipes(
                TENSOR_CYCLES * issueCycles(products, launch),
                threads * kernel.bytes(loop, Opcode.LDSM) / SHARED_BYTES,
                issueCycles(path.instructions(), launch),
                issueCycles(path.instructions() - products, launch));
    }

    /** Cycles in which the schedulers issue {@code instructions} of each warp. */
    static double issueCycles(double instructions, Launch launch) {
        return instructions * CompiledKernel.warps(launch) / SassModel.SCHEDULERS;
    }

    /** Where warps copy, load and multiply in step, so that tensor cores wait for what is issued besides. */
    double cyclesInTurn() {
        return tensor == 0 ? PRODUCTS * issue : Math.max(tensor + others, shared);
    }

    /** Where different warps keep different pipes busy. */
    double cyclesTogether() {
        return Math.max(tensor, Math.max(shared, issue));
    }
}
