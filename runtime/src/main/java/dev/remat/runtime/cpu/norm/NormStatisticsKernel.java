package dev.remat.runtime.cpu.norm;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.reduce.ReduceKernel;
import dev.remat.runtime.cpu.reduce.Reduction;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Mean and biased variance over some axes, or the mean square alone, in one pass with sums in f64. */
public final class NormStatisticsKernel {
    private final DType result;
    private final long count;
    private final TensorView x;
    private final Reduction reduction;

    public NormStatisticsKernel(TensorView x, boolean[] reduced) {
        this.x = x;
        this.result = x.type().accumulator();
        this.count = ReduceKernel.count(x.dims(), reduced);
        EltwiseProgram program =
                new EltwiseProgram(List.of(EltwiseProgram.Input.element(x.type())), List.of(), List.of(0, 0));
        this.reduction = new Reduction(
                program,
                List.of(Reduction.Kind.SUM, Reduction.Kind.SUM_OF_SQUARES),
                x.dims(),
                reduced,
                List.of(x.strides()));
    }

    /** Bytes of workspace; the same for any number of threads. */
    public static long workspaceBytes(int[] dims, boolean[] reduced) {
        return Reduction.workspaceBytes(dims, reduced, 2, false);
    }

    /** Writes mean and variance. */
    public void run(WorkerPool pool, MemorySegment arena, long mean, long variance, long workspace) {
        reduction.run(
                pool, arena, new long[] {x.offset()}, workspace, RandomBits.NONE, (position, totals, at, step) -> {
                    double average = totals[at] / count;
                    double spread = Math.max(0, totals[at + step] / count - average * average);
                    Elements.set(arena, result, mean + position * result.bytes(), average);
                    Elements.set(arena, result, variance + position * result.bytes(), spread);
                });
    }

    /** Writes the mean square. */
    public void runUncentered(WorkerPool pool, MemorySegment arena, long meanSquare, long workspace) {
        reduction.run(
                pool,
                arena,
                new long[] {x.offset()},
                workspace,
                RandomBits.NONE,
                (position, totals, at, step) ->
                        Elements.set(arena, result, meanSquare + position * result.bytes(), totals[at + step] / count));
    }
}
