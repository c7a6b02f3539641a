package dev.remat.runtime.executor;

import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Step;
import dev.remat.runtime.Executable;
import dev.remat.runtime.cpu.Draws;
import dev.remat.runtime.cpu.WorkerPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A plan on the CPU. Results depend neither on the number of threads nor on which thread does what.
 *
 * <p>In debug mode every range is filled with NaN as soon as its content is dead, so that whatever reads it shows.
 */
public final class CpuExecutor implements Executable {
    private static final byte POISON = (byte) 0xFF;
    private static final long GRANULE = 256;

    private final ExecutionPlan plan;
    private final Arena memory = Arena.ofShared();
    private final MemorySegment arena;
    private final WorkerPool pool;
    private final List<Kernel> kernels;
    private final long[] ends;
    private final boolean poisons;
    private long highWater;

    private CpuExecutor(ExecutionPlan plan, int threads, boolean poisons) {
        this.plan = plan;
        this.arena = memory.allocate(Math.max(plan.arenaBytes(), GRANULE), GRANULE);
        this.pool = new WorkerPool(Math.min(threads, CpuTarget.SLOTS));
        this.kernels = plan.steps().stream().map(StepCompiler::compile).toList();
        this.ends = plan.steps().stream().mapToLong(CpuExecutor::end).toArray();
        this.poisons = poisons;
        if (poisons) {
            arena.fill(POISON);
        }
    }

    /** @param threads most threads to use; more than {@link CpuTarget#SLOTS} are of no use */
    public static CpuExecutor load(ExecutionPlan plan, int threads) {
        return new CpuExecutor(plan, threads, false);
    }

    /** Loads in debug mode. */
    public static CpuExecutor loadPoisoning(ExecutionPlan plan, int threads) {
        return new CpuExecutor(plan, threads, true);
    }

    /** The end of the highest range that the kernel of a step receives. */
    private static long end(Step step) {
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
    public ExecutionPlan plan() {
        return plan;
    }

    @Override
    public void run(long step, int from, int to) {
        Draws draws = new Draws(plan.seed(), (int) step);
        for (int k = from; k < to; k++) {
            kernels.get(k).run(pool, arena, draws);
            highWater = Math.max(highWater, ends[k]);
            if (poisons) {
                plan.steps().get(k).freed().forEach(this::poison);
            }
        }
    }

    private void poison(ByteRange range) {
        arena.asSlice(range.offset(), range.bytes()).fill(POISON);
    }

    @Override
    public void write(long offset, MemorySegment source) {
        MemorySegment.copy(source, 0, arena, offset, source.byteSize());
        highWater = Math.max(highWater, offset + source.byteSize());
    }

    @Override
    public MemorySegment read(long offset, long bytes) {
        return arena.asSlice(offset, bytes).asReadOnly();
    }

    /** Buffers occupy whole granules, as the plan counts them. */
    @Override
    public long highWaterBytes() {
        return highWater + GRANULE - 1 & -GRANULE;
    }

    @Override
    public void close() {
        pool.close();
        memory.close();
    }
}
