package dev.remat.runtime.cpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.DType;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.AverageUpdate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.update.Updates;

/** The kernels of what happens once a step; results overwrite operands. */
final class BindUpdate {
    private BindUpdate() {}

    static BoundKernelStep sgd(SgdUpdate op, Binding in) {
        Updates kernel = new Updates(in.dtype(0), in.dtype(1), in.operandType(0).elements());
        long parameter = in.dense(0);
        long gradient = in.dense(1);
        long rate = in.dense(2);
        DType rateType = in.dtype(2);
        long velocity = op.hasVelocity() ? in.dense(3) : Elements.NONE;
        long factor = op.clipped() ? in.dense(op.factorIndex()) : Elements.NONE;
        DType factorType = op.clipped() ? in.dtype(op.factorIndex()) : DType.F32;
        return frame -> kernel.run(
                frame.pool(),
                frame.arena(),
                new Updates.Sgd(
                        Elements.get(frame.arena(), rateType, rate),
                        op.momentum(),
                        op.dampening(),
                        op.nesterov(),
                        op.weightDecay(),
                        factor(frame, factorType, factor)),
                parameter,
                gradient,
                velocity);
    }

    static BoundKernelStep adam(AdamUpdate op, Binding in) {
        Updates kernel = new Updates(in.dtype(0), in.dtype(1), in.operandType(0).elements());
        long parameter = in.dense(0);
        long gradient = in.dense(1);
        long first = in.dense(2);
        long second = in.dense(3);
        long rate = in.dense(4);
        DType rateType = in.dtype(4);
        long step = in.dense(5);
        long factor = op.clipped() ? in.dense(6) : Elements.NONE;
        DType factorType = op.clipped() ? in.dtype(6) : DType.F32;
        return frame -> kernel.run(
                frame.pool(),
                frame.arena(),
                new Updates.Adam(
                        Elements.get(frame.arena(), rateType, rate),
                        op.beta1(),
                        op.beta2(),
                        op.epsilon(),
                        op.weightDecay(),
                        op.decoupled(),
                        factor(frame, factorType, factor),
                        frame.arena().get(JAVA_LONG, step)),
                parameter,
                gradient,
                first,
                second);
    }

    static BoundKernelStep average(AverageUpdate op, Binding in) {
        Updates kernel = new Updates(in.dtype(0), in.dtype(1), in.operandType(0).elements());
        long average = in.dense(0);
        long parameter = in.dense(1);
        long step = in.dense(2);
        return frame -> kernel.average(
                frame.pool(), frame.arena(), op.keep(frame.arena().get(JAVA_LONG, step)), average, parameter);
    }

    private static double factor(Frame frame, DType type, long factor) {
        return factor == Elements.NONE ? 1 : Elements.get(frame.arena(), type, factor);
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
