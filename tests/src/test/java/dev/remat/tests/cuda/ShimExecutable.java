package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.runtime.Executable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A plan's kernels on the CPU, launch by launch over one arena; ranges that the plan has freed are poisoned, but those
 * in which a later step of the same launch has already written.
 */
final class ShimExecutable implements Executable {
    private final ExecutionPlan plan;
    private final KernelProgram program;
    private final ShimLibrary library;
    private final ShimOrder order;
    private final Poison poison;
    private final BeforeLaunch beforeLaunch;
    private final Arena owner = Arena.ofShared();
    private final MemorySegment arena;
    private long highWater;

    /** Is told of each launch, and returns what is to be done after it. */
    interface BeforeLaunch {
        Runnable of(KernelSource kernel, Launch launch, MemorySegment arena);
    }

    ShimExecutable(ExecutionPlan plan, KernelProgram program, ShimLibrary library, ShimOrder order, Poison poison) {
        this(plan, program, library, order, poison, (kernel, launch, arena) -> () -> {});
    }

    ShimExecutable(
            ExecutionPlan plan,
            KernelProgram program,
            ShimLibrary library,
            ShimOrder order,
            Poison poison,
            BeforeLaunch beforeLaunch) {
        this.beforeLaunch = beforeLaunch;
        this.plan = plan;
        this.program = program;
        this.library = library;
        this.order = order;
        this.poison = poison;
        this.arena = library.map(plan.arenaBytes(), owner);
        poison.fill(arena);
    }

    @Override
    public ExecutionPlan plan() {
        return plan;
    }

    @Override
    public void run(long step, int microBatch, int from, int to) {
        int next = 0;
        while (next < program.launches().size() && program.launches().get(next).step() < from) {
            next++;
        }
        for (int i = from; i < to; i++) {
            for (;
                    next < program.launches().size()
                            && program.launches().get(next).step() == i;
                    next++) {
                Launch launch = program.launches().get(next);
                KernelSource kernel = program.kernels().get(launch.kernel());
                Runnable after = beforeLaunch.of(kernel, launch, arena);
                library.launch(kernel.symbol(), launch, arena, order, poison);
                after.run();
            }
            KernelStep done = plan.steps().get(i);
            highWater = Math.max(highWater, end(done));
            int launched = next < program.launches().size()
                    ? program.launches().get(next).step()
                    : plan.steps().size();
            for (ByteRange range : done.freed()) {
                if (plan.steps().subList(i + 1, launched).stream().noneMatch(later -> writesInto(later, range))) {
                    poison.fill(arena.asSlice(range.offset(), range.bytes()));
                }
            }
        }
    }

    private static boolean writesInto(KernelStep step, ByteRange range) {
        return step.writes().stream().anyMatch(write -> range.overlaps(new ByteRange(write.offset(), write.bytes())));
    }

    private static long end(KernelStep step) {
        long end = step.workspace().end();
        for (MemoryRead read : step.reads()) {
            end = Math.max(end, read.offset() + read.bytes());
        }
        for (MemoryWrite write : step.writes()) {
            end = Math.max(end, write.offset() + write.bytes());
        }
        return end;
    }

    @Override
    public void write(long offset, MemorySegment source) {
        MemorySegment.copy(source, 0, arena, offset, source.byteSize());
    }

    @Override
    public MemorySegment read(long offset, long bytes) {
        return arena.asSlice(offset, bytes).asReadOnly();
    }

    @Override
    public long highWaterBytes() {
        return highWater;
    }

    @Override
    public Executable loadBeside(ExecutionPlan other) {
        throw new IllegalStateException("the kernels of another plan are not in the library");
    }

    @Override
    public Executable loadWithin(ExecutionPlan other) {
        return loadBeside(other);
    }

    @Override
    public void close() {
        owner.close();
    }
}
