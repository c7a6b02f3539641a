package dev.remat.runtime.cpu.update;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.DType;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.AverageUpdate;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.runtime.cpu.elementwise.Eltwise;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.elementwise.Primitive;
import dev.remat.runtime.cpu.kernel.BoundKernelStep;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.Frame;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Shapes;
import java.lang.foreign.MemorySegment;

/** The kernels of what happens once a step or micro-batch beside optimizers; results overwrite operands. */
public final class StateUpdates {
    private StateUpdates() {}

    /** Runs where the flag is set. */
    public static CpuKernel of(ConditionalUpdate op, CpuKernel update) {
        return new CpuKernel(update.workspaceBytes(), in -> {
            BoundKernelStep bound = update.binder().apply(in);
            long flag = in.dense(ConditionalUpdate.flagIndex(in.instruction().operands()));
            return frame -> {
                if (frame.arena().get(JAVA_BYTE, flag) != 0) {
                    bound.run(frame);
                }
            };
        });
    }

    public static CpuKernel of(LearningRate op) {
        return new CpuKernel(in -> {
            long step = in.dense(0);
            long rate = in.output();
            return frame -> Elements.set(
                    frame.arena(),
                    DType.F32,
                    rate,
                    op.schedule().at(frame.arena().get(JAVA_LONG, step)));
        });
    }

    /** The parameter is where gradients are in other updates. */
    public static CpuKernel of(AverageUpdate op) {
        return new CpuKernel(in -> {
            StagedUpdate tensors = StagedUpdate.of(in, 0, in.operandType(0).elements());
            long step = in.dense(2);
            return frame -> {
                double keep = op.keep(frame.arena().get(JAVA_LONG, step));
                tensors.run(frame, (at, average, parameter, s, n) -> {
                    for (int i = 0; i < n; i++) {
                        average[i] = keep * average[i] + (1 - keep) * parameter[i];
                    }
                });
            };
        });
    }

    public static CpuKernel of(Assign op) {
        return new CpuKernel(in -> {
            long bytes = in.operandType(0).bytes();
            long state = in.dense(0);
            long value = in.dense(1);
            return frame -> MemorySegment.copy(frame.arena(), value, frame.arena(), state, bytes);
        });
    }

    /** What the accumulator has held is not read in the first micro-batch. */
    public static CpuKernel of(Accumulate op) {
        return new CpuKernel(in -> {
            DType type = in.dtype(0);
            int[] dims = Shapes.dims(in.operandType(0));
            long accumulator = in.dense(0);
            long value = in.dense(1);
            long microBatch = in.dense(2);
            EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
            int sum = builder.apply(Primitive.ADD, type, builder.input(type), builder.input(type));
            Eltwise add = Eltwise.dense(builder.build(sum), dims, accumulator, value, accumulator);
            Eltwise copy = Eltwise.dense(EltwiseProgram.copy(type), dims, value, accumulator);
            return frame -> {
                if (frame.arena().get(JAVA_LONG, microBatch) == 0) {
                    copy.run(frame.pool(), frame.arena());
                } else {
                    add.run(frame.pool(), frame.arena());
                }
            };
        });
    }

    public static CpuKernel of(CombineStatistics op) {
        return new CpuKernel(in -> {
            DType type = in.dtype(0);
            long bytes = in.operandType(0).bytes();
            long meanSoFar = in.dense(0);
            long varianceSoFar = in.dense(1);
            long mean = in.dense(2);
            long variance = in.dense(3);
            long microBatch = in.dense(4);
            return frame -> {
                MemorySegment arena = frame.arena();
                long k = arena.get(JAVA_LONG, microBatch);
                if (k == 0) {
                    MemorySegment.copy(arena, mean, arena, meanSoFar, bytes);
                    MemorySegment.copy(arena, variance, arena, varianceSoFar, bytes);
                    return;
                }
                double share = CombineStatistics.share(k);
                for (long at = 0; at < bytes; at += type.bytes()) {
                    double before = Elements.get(arena, type, meanSoFar + at);
                    double delta = Elements.get(arena, type, mean + at) - before;
                    double spread = Elements.get(arena, type, varianceSoFar + at);
                    double change = Elements.get(arena, type, variance + at) - spread + k * share * (delta * delta);
                    Elements.set(arena, type, meanSoFar + at, before + share * delta);
                    Elements.set(arena, type, varianceSoFar + at, spread + share * change);
                }
            };
        });
    }

    public static CpuKernel of(RunningStatistics op) {
        return new CpuKernel(in -> {
            DType type = in.dtype(0);
            long bytes = in.operandType(0).bytes();
            double samples = op.samples().value();
            double unbiased = samples / (samples - 1);
            long runningMean = in.dense(0);
            long runningVariance = in.dense(1);
            long mean = in.dense(2);
            long variance = in.dense(3);
            return frame -> {
                for (long at = 0; at < bytes; at += type.bytes()) {
                    move(frame, type, runningMean + at, mean + at, op.momentum(), 1);
                    move(frame, type, runningVariance + at, variance + at, op.momentum(), unbiased);
                }
            };
        });
    }

    private static void move(Frame frame, DType type, long running, long batch, double momentum, double factor) {
        double value = (1 - momentum) * Elements.get(frame.arena(), type, running)
                + momentum * factor * Elements.get(frame.arena(), type, batch);
        Elements.set(frame.arena(), type, running, value);
    }
}
