package dev.remat.codegen.cuda.predict;

import dev.remat.codegen.cuda.sass.ExecutedPath;
import dev.remat.codegen.cuda.sass.Loop;
import dev.remat.codegen.cuda.sass.Opcode;
import dev.remat.ir.artifact.Launch;
import java.util.List;

/**
 * The time of a kernel that moves bytes and computes on the way: the longest of what memory, the second cache, the
 * schedulers and one thread after the other take. How often its loops run follows from the bytes.
 *
 * @param rounds of the innermost loops that load
 * @param path that each warp takes
 */
record StreamTime(CompiledKernel kernel, Launch launch, Traffic traffic, double rounds, ExecutedPath path) {
    /** Share of the second cache's rate that kernels reach. */
    private static final double CACHE = 0.9;
    /** From a kernel's first instruction to its end, if it has next to nothing to do. */
    private static final double LEAST_NANOS = 1900;
    /** Until what a thread loads is there. */
    private static final double LOAD_CYCLES = 600;

    static StreamTime of(CompiledKernel kernel, Launch launch, Traffic traffic) {
        double inLoops = kernel.loading().stream()
                .mapToDouble(loop -> globalBytes(kernel, loop))
                .sum();
        List<Loop> loops = kernel.flow().loops();
        double outside = globalBytes(kernel, new Loop(0, kernel.flow().code().size()))
                - loops.stream()
                        .filter(loop -> loops.stream().noneMatch(outer -> outer.encloses(loop)))
                        .mapToDouble(loop -> globalBytes(kernel, loop))
                        .sum();
        double threads = (double) launch.grid().count() * launch.block().count();
        double rounds = inLoops == 0 ? 0 : Math.max(0, (traffic.bytes() / threads - outside) / inLoops);
        return new StreamTime(kernel, launch, traffic, rounds, kernel.path(rounds));
    }

    private static double globalBytes(CompiledKernel kernel, Loop loop) {
        return kernel.bytes(loop, Opcode.LDG) + kernel.bytes(loop, Opcode.STG);
    }

    double flops() {
        return path.flops() * CompiledKernel.warps(launch) * launch.grid().count();
    }

    /** @param efficiency share of a copy's rate that kernels of its kind reach */
    double nanos(SassModel model, double efficiency) {
        double blocks = launch.grid().count();
        double busy = Math.min(blocks, model.multiprocessors());
        double issue = Pipes.ISSUE * Pipes.issueCycles(path.instructions(), launch) * blocks / busy;
        double together = (double) model.multiprocessors() * kernel.resident(launch);
        double chain = Math.max(1, blocks / together) * (path.stall() + LOAD_CYCLES * (1 + rounds));
        double memory = model.memoryNanos(traffic.bytes(), efficiency);
        double pieces = traffic.bytes()
                + traffic.written() * (StoredPieces.stores(kernel.flow().code()) - 1);
        double cache = pieces / (model.cacheBytes() * CACHE) * 1e9;
        double threads = model.nanos(Math.max(issue, chain));
        return Math.max(Math.max(memory, cache), Math.max(threads, LEAST_NANOS));
    }
}
