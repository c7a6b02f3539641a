package dev.remat.runtime.executor;

import dev.remat.ir.DType;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.runtime.cpu.Gemm;
import dev.remat.runtime.cpu.Updates;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The optimizer's part of a step; rate, step and clipping factor are scalars of the arena. */
final class UpdateKernels {
    private UpdateKernels() {}

    static Kernel rate(LearningRate op, AnchorOperands in) {
        return (pool, arena, draws) -> {
            long step = arena.get(ValueLayout.JAVA_LONG, in.at(0));
            arena.set(ValueLayout.JAVA_FLOAT, in.resultAt(0), (float) op.schedule().at(step));
        };
    }

    static Kernel sgd(SgdUpdate op, AnchorOperands in) {
        boolean hasVelocity = op.momentum() != 0;
        int factor = hasVelocity ? 4 : 3;
        Updates updates = updates(in);
        long velocity = hasVelocity ? in.at(3) : Gemm.NONE;
        return (pool, arena, draws) -> updates.run(
                pool, arena,
                new Updates.Sgd(
                        scalar(arena, in, 2), op.momentum(), op.dampening(), op.nesterov(), op.weightDecay(),
                        op.clipped() ? scalar(arena, in, factor) : 1),
                in.at(0), in.at(1), velocity);
    }

    static Kernel adam(AdamUpdate op, AnchorOperands in) {
        Updates updates = updates(in);
        return (pool, arena, draws) -> updates.run(
                pool, arena,
                new Updates.Adam(
                        scalar(arena, in, 4), op.beta1(), op.beta2(), op.epsilon(), op.weightDecay(), op.decoupled(),
                        op.clipped() ? scalar(arena, in, 6) : 1, arena.get(ValueLayout.JAVA_LONG, in.at(5))),
                in.at(0), in.at(1), in.at(2), in.at(3));
    }

    private static Updates updates(AnchorOperands in) {
        return new Updates(in.type(0).dtype(), in.type(1).dtype(), in.type(0).elements());
    }

    private static double scalar(MemorySegment arena, AnchorOperands in, int operand) {
        return in.type(operand).dtype() == DType.F64
                ? arena.get(ValueLayout.JAVA_DOUBLE, in.at(operand))
                : arena.get(ValueLayout.JAVA_FLOAT, in.at(operand));
    }
}
