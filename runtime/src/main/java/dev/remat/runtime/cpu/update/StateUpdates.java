package dev.remat.runtime.cpu.update;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.DType;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.UpdateRows;
import dev.remat.runtime.cpu.elementwise.Eltwise;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.elementwise.Primitive;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.kernel.BoundKernelStep;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.kernel.Frame;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Shapes;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The kernels of what happens once a step or micro-batch; results overwrite operands. */
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
                    DType.F64,
                    rate,
                    op.schedule().at(frame.arena().get(JAVA_LONG, step)));
        });
    }

    public static CpuKernel of(ElementwiseUpdate op) {
        return UpdateKernel.of(op);
    }

    public static CpuKernel of(UpdateRows op) {
        return UpdateKernel.of(op);
    }

    public static CpuKernel of(Assign op) {
        return new CpuKernel(in -> {
            long bytes = in.operandType(0).bytes();
            long state = in.dense(0);
            long value = in.dense(1);
            return frame -> MemorySegment.copy(frame.arena(), value, frame.arena(), state, bytes);
        });
    }

    /** What the accumulator has held is not read in the first round. */
    public static CpuKernel of(Accumulate op) {
        return new CpuKernel(in -> {
            int pieces = MicroBatchUpdate.pieces(in.operandType(0), in.operandType(1));
            long accumulator = in.dense(0);
            long microBatch =
                    in.dense(MicroBatchUpdate.numberIndex(in.instruction().operands()));
            List<Eltwise> adds = new ArrayList<>();
            for (int piece = 0; piece < pieces; piece++) {
                long value = in.dense(1) + piece * (in.operandType(1).bytes() / pieces);
                adds.add(adding(in, accumulator, value));
            }
            Eltwise first = taking(in, accumulator);
            return frame -> {
                boolean begins = frame.arena().get(JAVA_LONG, microBatch) < pieces;
                if (begins) {
                    first.run(frame.pool(), frame.arena());
                }
                adds.subList(begins ? 1 : 0, pieces).forEach(add -> add.run(frame.pool(), frame.arena()));
            };
        });
    }

    private static Eltwise adding(Binding in, long accumulator, long value) {
        DType type = in.dtype(0);
        EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
        int sum = builder.input(type);
        int added = widened(builder, builder.input(in.dtype(1)), type);
        EltwiseProgram program = builder.build(builder.apply(Primitive.ADD, type, sum, added));
        return Eltwise.dense(program, Shapes.dims(in.operandType(0)), accumulator, value, accumulator);
    }

    private static Eltwise taking(Binding in, long accumulator) {
        EltwiseProgram.Builder builder = new EltwiseProgram.Builder();
        EltwiseProgram program = builder.build(widened(builder, builder.input(in.dtype(1)), in.dtype(0)));
        return Eltwise.dense(program, Shapes.dims(in.operandType(0)), in.dense(1), accumulator);
    }

    private static int widened(EltwiseProgram.Builder builder, int value, DType type) {
        return builder.typeOf(value) == type ? value : builder.apply(Primitive.CAST, type, value);
    }

    public static CpuKernel of(CombineStatistics op) {
        return new CpuKernel(in -> {
            DType type = in.dtype(0);
            long bytes = in.operandType(0).bytes();
            int pieces = MicroBatchUpdate.pieces(in.operandType(0), in.operandType(2));
            long meanSoFar = in.dense(0);
            long varianceSoFar = in.dense(1);
            long mean = in.dense(2);
            long variance = in.dense(3);
            long microBatch = in.dense(4);
            return frame -> {
                long round = frame.arena().get(JAVA_LONG, microBatch) / pieces;
                for (int piece = 0; piece < pieces; piece++) {
                    long at = piece * bytes;
                    combine(
                            frame.arena(),
                            type,
                            bytes,
                            new long[] {meanSoFar, varianceSoFar, mean + at, variance + at},
                            round * pieces + piece);
                }
            };
        });
    }

    /** @param places of mean and variance so far and of those of micro-batch {@code k} */
    private static void combine(MemorySegment arena, DType type, long bytes, long[] places, long k) {
        if (k == 0) {
            MemorySegment.copy(arena, places[2], arena, places[0], bytes);
            MemorySegment.copy(arena, places[3], arena, places[1], bytes);
            return;
        }
        double share = CombineStatistics.share(k);
        for (long at = 0; at < bytes; at += type.bytes()) {
            double before = Elements.get(arena, type, places[0] + at);
            double delta = Elements.get(arena, type, places[2] + at) - before;
            double spread = Elements.get(arena, type, places[1] + at);
            double change = Elements.get(arena, type, places[3] + at) - spread + k * share * (delta * delta);
            Elements.set(arena, type, places[0] + at, before + share * delta);
            Elements.set(arena, type, places[1] + at, spread + share * change);
        }
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
