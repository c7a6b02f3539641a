package dev.remat.codegen.cuda.predict;

import dev.remat.codegen.cuda.sass.Instruction;
import dev.remat.codegen.cuda.sass.Loop;
import dev.remat.codegen.cuda.sass.Opcode;
import dev.remat.ir.artifact.Launch;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The time of a product in tiles: blocks in whole waves, each of them a prologue, rounds of the loop that multiplies,
 * and rounds of the loop that hands results to the epilogue.
 *
 * @param rounds of the loop that multiplies, in the longest block
 * @param sums of a block
 * @param flops additions and multiplications of all blocks, whether their results are kept or not
 */
record ProductTime(CompiledKernel kernel, Launch launch, Loop main, double rounds, double sums, double flops) {
    /** Bytes of each row of terms that a round of tensor cores takes, as {@code TensorTile} has it. */
    private static final int DEPTH_BYTES = 64;
    /** The same in {@code WarpgroupTile}. */
    private static final int PANEL_BYTES = 128;

    private static final Pattern TILE = Pattern.compile("_([0-9]{2,3})x([0-9]{2,3})_");
    /** Until the first tile is in shared memory. */
    private static final double PROLOGUE_CYCLES = 1500;
    /** Until what a block of instructions loads is there, all together; usually the second cache has it. */
    private static final double LOAD_CYCLES = 350;

    /** @param elementBytes of operands; empty if the kernel is no product of tiles */
    static Optional<ProductTime> of(CompiledKernel kernel, Launch launch, ProductShape shape, int elementBytes) {
        Optional<Loop> main = kernel.multiplying();
        Matcher tile = TILE.matcher(kernel.entry().symbol());
        if (main.isEmpty() || !tile.find()) {
            return Optional.empty();
        }
        double products = kernel.products(main.get(), launch);
        double named = Double.parseDouble(tile.group(1)) * Double.parseDouble(tile.group(2));
        double bytes = kernel.count(main.get(), Opcode.HGMMA) > 0
                ? PANEL_BYTES
                : kernel.count(main.get(), Opcode.HMMA) > 0 ? DEPTH_BYTES : 0;
        double depth = Math.max(1, bytes > 0 ? bytes / elementBytes : Math.rint(products / named));
        double rounds = Math.ceil(shape.depth() / depth);
        double flops = 2 * products * rounds * launch.grid().count();
        return Optional.of(new ProductTime(kernel, launch, main.get(), rounds, products / depth, flops));
    }

    /** Without what its bytes take. */
    double nanos(SassModel model) {
        long blocks = launch.grid().count();
        long resident = kernel.resident(launch);
        long waves = Math.ceilDiv(blocks, model.multiprocessors() * resident);
        double together = Math.min(resident, Math.ceilDiv(blocks, model.multiprocessors()));
        double multiply = together
                * rounds
                * Pipes.of(kernel, main, kernel.longestRound(main), launch).cyclesInTurn();
        return model.nanos(waves * (PROLOGUE_CYCLES + multiply + epilogue(together)));
    }

    /**
     * The loop that hands over sums, as often as it must, and all other code behind the main loop once: each sum goes
     * to shared memory in one round of whatever loop is around.
     */
    private double epilogue(double together) {
        Loop behind = new Loop(main.end(), exit());
        Optional<Loop> drain = kernel.flow().innermost(Opcode.LDS).stream()
                .filter(loop -> behind.contains(loop.first()))
                .max(Comparator.comparingLong(loop -> kernel.bytes(loop, Opcode.LDS)));
        if (drain.isEmpty()) {
            return cycles(behind, kernel.code(behind).size(), together);
        }
        double perRound = kernel.bytes(drain.get(), Opcode.LDS)
                / (double) Float.BYTES
                * launch.block().count();
        double round = cycles(drain.get(), kernel.longestRound(drain.get()).instructions(), together);
        return sums / perRound * round + stall(behind) - stall(drain.get());
    }

    /** Behind the last instruction, without slow paths that are called: those lie behind it. */
    private int exit() {
        List<Instruction> code = kernel.flow().code();
        for (int i = main.end(); i < code.size(); i++) {
            if (code.get(i).opcode() == Opcode.EXIT && !code.get(i).conditional()) {
                return i + 1;
            }
        }
        return code.size();
    }

    private double cycles(Loop loop, double instructions, double together) {
        double waiting = stall(loop) + LOAD_CYCLES * kernel.flow().blocksWith(Opcode.LDG, loop);
        return Math.max(waiting, together * Pipes.issueCycles(instructions, launch));
    }

    private int stall(Loop loop) {
        return kernel.code(loop).stream().mapToInt(Instruction::stall).sum();
    }
}
