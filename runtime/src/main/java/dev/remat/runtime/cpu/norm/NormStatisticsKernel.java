package dev.remat.runtime.cpu.norm;

import dev.remat.ir.DType;
import dev.remat.ir.op.NormStatistics;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.OpTypes;
import dev.remat.runtime.cpu.reduce.ReduceKernel;
import dev.remat.runtime.cpu.reduce.Reduction;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Mean and biased variance over some axes, or the mean square alone, in one pass with sums in f64. */
public final class NormStatisticsKernel {
    private final DType result;
    private final long count;
    private final Reduction reduction;

    private NormStatisticsKernel(TensorView x, boolean[] reduced) {
        this.result = x.type().accumulator();
        this.count = ReduceKernel.count(x.dims(), reduced);
        EltwiseProgram program =
                new EltwiseProgram(List.of(EltwiseProgram.Input.element(x.type())), List.of(), List.of(0, 0));
        this.reduction = new Reduction(
                program, List.of(Reduction.Kind.SUM, Reduction.Kind.SUM_OF_SQUARES), x.dims(), reduced, List.of(x));
    }

    public static CpuKernel of(NormStatistics op, OpTypes types) {
        int[] dims = Shapes.dims(types.operand(0));
        boolean[] axes = Shapes.flags(dims.length, op.axes());
        return new CpuKernel(Reduction.workspaceBytes(dims, axes, 2, false), in -> {
            NormStatisticsKernel kernel = new NormStatisticsKernel(in.view(0), axes);
            long first = in.output();
            long workspace = in.workspace();
            if (!op.centered()) {
                return frame -> kernel.runUncentered(frame.pool(), frame.arena(), first, workspace);
            }
            long variance = in.denseResult(1);
            return frame -> kernel.run(frame.pool(), frame.arena(), first, variance, workspace);
        });
    }

    /** Writes mean and variance. */
    private void run(WorkerPool pool, MemorySegment arena, long mean, long variance, long workspace) {
        reduction.run(pool, arena, workspace, RandomBits.NONE, (position, totals, at, step) -> {
            double average = totals[at] / count;
            double spread = Math.max(0, totals[at + step] / count - average * average);
            Elements.set(arena, result, mean + position * result.bytes(), average);
            Elements.set(arena, result, variance + position * result.bytes(), spread);
        });
    }

    /** Writes the mean square. */
    private void runUncentered(WorkerPool pool, MemorySegment arena, long meanSquare, long workspace) {
        reduction.run(
                pool,
                arena,
                workspace,
                RandomBits.NONE,
                (position, totals, at, step) ->
                        Elements.set(arena, result, meanSquare + position * result.bytes(), totals[at + step] / count));
    }
}
