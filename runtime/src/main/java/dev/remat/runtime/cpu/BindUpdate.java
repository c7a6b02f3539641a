package dev.remat.runtime.cpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AdafactorUpdate;
import dev.remat.ir.op.AdagradUpdate;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.AdamVariantUpdate;
import dev.remat.ir.op.AverageUpdate;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.LionUpdate;
import dev.remat.ir.op.OptimizerUpdate;
import dev.remat.ir.op.RmsPropUpdate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.UpdateRows;
import dev.remat.runtime.cpu.elementwise.Eltwise;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.elementwise.Primitive;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.update.Updates;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;

/** The kernels of what happens once a step or micro-batch; results overwrite operands. */
final class BindUpdate {
    private BindUpdate() {}

    /**
     * What an update changes.
     *
     * @param parameter address of the first element
     * @param gradient address of what that is changed by
     */
    private record Changed(Updates kernel, long parameter, long gradient) {
        static Changed elements(Binding in, long from, long count) {
            return new Changed(
                    new Updates(in.dtype(0), in.dtype(1), count),
                    in.dense(0) + in.dtype(0).bytesOf(from),
                    in.dense(1) + in.dtype(1).bytesOf(from));
        }
    }

    static BoundKernelStep optimizer(OptimizerUpdate op, Binding in) {
        return optimizer(op, in, Changed.elements(in, 0, in.operandType(0).elements()));
    }

    static BoundKernelStep rows(UpdateRows op, Binding in) {
        long width = op.rows(in.operandType(0)).elements() / (op.to() - op.from());
        return optimizer(op.update(), in, Changed.elements(in, op.from() * width, (op.to() - op.from()) * width));
    }

    private static BoundKernelStep optimizer(OptimizerUpdate update, Binding in, Changed of) {
        return switch (update) {
            case SgdUpdate op -> sgd(op, in, of);
            case AdamUpdate op -> adam(op, in, of);
            case AdagradUpdate op -> adagrad(op, in, of);
            case AdamVariantUpdate op -> adamVariant(op, in, of);
            case AdafactorUpdate op -> adafactor(op, in, of);
            case LionUpdate op -> lion(op, in, of);
            case RmsPropUpdate op -> rmsProp(op, in, of);
        };
    }

    private static BoundKernelStep sgd(SgdUpdate op, Binding in, Changed of) {
        Updates kernel = of.kernel();
        long parameter = of.parameter();
        long gradient = of.gradient();
        Real rate = Real.at(in, 2);
        long velocity = op.hasVelocity() ? in.dense(3) : Elements.NONE;
        Real factor = Real.factor(in, op.clipped(), op.factorIndex());
        return frame -> kernel.run(
                frame.pool(), frame.arena(), op, rate.in(frame), factor.in(frame), parameter, gradient, velocity);
    }

    private static BoundKernelStep adam(AdamUpdate op, Binding in, Changed of) {
        Updates kernel = of.kernel();
        long parameter = of.parameter();
        long gradient = of.gradient();
        long first = in.dense(2);
        long second = in.dense(3);
        Real rate = Real.at(in, 4);
        long step = in.dense(5);
        Real factor = Real.factor(in, op.clipped(), 6);
        return frame -> kernel.run(
                frame.pool(),
                frame.arena(),
                op,
                rate.in(frame),
                factor.in(frame),
                frame.arena().get(JAVA_LONG, step),
                parameter,
                gradient,
                first,
                second);
    }

    private static BoundKernelStep adamVariant(AdamVariantUpdate op, Binding in, Changed of) {
        Updates kernel = of.kernel();
        long parameter = of.parameter();
        long gradient = of.gradient();
        long[] states = IntStream.range(2, op.rateIndex()).mapToLong(in::dense).toArray();
        Real rate = Real.at(in, op.rateIndex());
        List<Real> sizes = IntStream.rangeClosed(1, op.kind().sizes())
                .mapToObj(size -> Real.at(in, op.rateIndex() + size))
                .toList();
        Real factor = Real.factor(in, op.clipped(), op.factorIndex());
        return frame -> kernel.run(
                frame.pool(),
                frame.arena(),
                op,
                rate.in(frame),
                sizes.stream().mapToDouble(size -> size.in(frame)).toArray(),
                factor.in(frame),
                parameter,
                gradient,
                states);
    }

    private static BoundKernelStep lion(LionUpdate op, Binding in, Changed of) {
        Updates kernel = of.kernel();
        long parameter = of.parameter();
        long gradient = of.gradient();
        long first = in.dense(2);
        Real rate = Real.at(in, 3);
        Real factor = Real.factor(in, op.clipped(), 4);
        return frame -> kernel.run(
                frame.pool(), frame.arena(), op, rate.in(frame), factor.in(frame), parameter, gradient, first);
    }

    private static BoundKernelStep adagrad(AdagradUpdate op, Binding in, Changed of) {
        Updates kernel = of.kernel();
        long parameter = of.parameter();
        long gradient = of.gradient();
        long sum = in.dense(2);
        Real rate = Real.at(in, 3);
        long step = in.dense(4);
        Real factor = Real.factor(in, op.clipped(), 5);
        return frame -> kernel.run(
                frame.pool(),
                frame.arena(),
                op,
                rate.in(frame) / op.slowing(frame.arena().get(JAVA_LONG, step)),
                factor.in(frame),
                parameter,
                gradient,
                sum);
    }

    private static BoundKernelStep rmsProp(RmsPropUpdate op, Binding in, Changed of) {
        Updates kernel = of.kernel();
        long parameter = of.parameter();
        long gradient = of.gradient();
        Real rate = Real.at(in, 2);
        long[] states =
                IntStream.range(0, op.states()).mapToLong(i -> in.dense(3 + i)).toArray();
        Real factor = Real.factor(in, op.clipped(), 3 + op.states());
        return frame -> kernel.run(
                frame.pool(), frame.arena(), op, rate.in(frame), factor.in(frame), parameter, gradient, states);
    }

    private static BoundKernelStep adafactor(AdafactorUpdate op, Binding in, Changed of) {
        TensorType type = in.operandType(0);
        Updates kernel = of.kernel();
        long parameter = of.parameter();
        long gradient = of.gradient();
        Real rate = Real.at(in, 2);
        Real size = Real.at(in, 3);
        Real factor = Real.factor(in, op.clipped(), op.factorIndex());
        if (!op.factored()) {
            long estimate = in.dense(4);
            return frame -> kernel.run(
                    frame.pool(),
                    frame.arena(),
                    op,
                    rate.in(frame),
                    size.in(frame) * factor.in(frame),
                    parameter,
                    gradient,
                    estimate);
        }
        Updates.Factors factors = new Updates.Factors(
                in.dense(4),
                in.dense(5),
                type.dim(type.rank() - 2).value(),
                type.dim(type.rank() - 1).value());
        return frame -> kernel.run(
                frame.pool(),
                frame.arena(),
                op,
                rate.in(frame),
                size.in(frame) * factor.in(frame),
                parameter,
                gradient,
                factors);
    }

    /** A scalar operand that every step reads anew; 1 where there is none. */
    private record Real(DType type, long offset) {
        static Real at(Binding in, int operand) {
            return new Real(in.dtype(operand), in.dense(operand));
        }

        static Real factor(Binding in, boolean clipped, int operand) {
            return clipped ? at(in, operand) : new Real(DType.F32, Elements.NONE);
        }

        double in(Frame frame) {
            return offset == Elements.NONE ? 1 : Elements.get(frame.arena(), type, offset);
        }
    }

    static BoundKernelStep average(AverageUpdate op, Binding in) {
        Updates kernel = new Updates(in.dtype(0), in.dtype(1), in.operandType(0).elements());
        long average = in.dense(0);
        long parameter = in.dense(1);
        long step = in.dense(2);
        return frame -> kernel.average(
                frame.pool(), frame.arena(), op.keep(frame.arena().get(JAVA_LONG, step)), average, parameter);
    }

    static BoundKernelStep assign(Binding in) {
        long bytes = in.operandType(0).bytes();
        long state = in.dense(0);
        long value = in.dense(1);
        return frame -> MemorySegment.copy(frame.arena(), value, frame.arena(), state, bytes);
    }

    /** What the accumulator has held is not read in the first micro-batch. */
    static BoundKernelStep accumulate(Binding in) {
        DType type = in.dtype(0);
        int[] dims = Shapes.dims(in.operandType(0));
        EltwiseProgram.Builder sum = new EltwiseProgram.Builder();
        Eltwise add = Eltwise.dense(sum.build(sum.apply(Primitive.ADD, type, sum.input(type), sum.input(type))), dims);
        Eltwise copy = Eltwise.dense(EltwiseProgram.copy(type), dims);
        long microBatch = in.dense(2);
        long[] accumulator = {in.dense(0)};
        long[] value = {in.dense(1)};
        long[] both = {accumulator[0], value[0]};
        return frame -> {
            if (frame.arena().get(JAVA_LONG, microBatch) == 0) {
                copy.run(frame.pool(), frame.arena(), value, accumulator);
            } else {
                add.run(frame.pool(), frame.arena(), both, accumulator);
            }
        };
    }

    static BoundKernelStep combineStatistics(Binding in) {
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
    }

    static BoundKernelStep runningStatistics(RunningStatistics op, Binding in) {
        DType type = in.dtype(0);
        long count = in.operandType(0).elements();
        long runningMean = in.dense(0);
        long runningVariance = in.dense(1);
        long mean = in.dense(2);
        long variance = in.dense(3);
        double samples = op.samples().value();
        double unbiased = samples / (samples - 1);
        return frame -> {
            for (long i = 0; i < count; i++) {
                long at = i * type.bytes();
                move(frame, type, runningMean + at, mean + at, op.momentum(), 1);
                move(frame, type, runningVariance + at, variance + at, op.momentum(), unbiased);
            }
        };
    }

    private static void move(Frame frame, DType type, long running, long batch, double momentum, double factor) {
        double value = (1 - momentum) * Elements.get(frame.arena(), type, running)
                + momentum * factor * Elements.get(frame.arena(), type, batch);
        Elements.set(frame.arena(), type, running, value);
    }
}
