package dev.remat.runtime.executor;

import dev.remat.ir.DType;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.runtime.cpu.Gemm;
import dev.remat.runtime.cpu.NormGradient;
import dev.remat.runtime.cpu.NormStatisticsKernel;
import dev.remat.runtime.cpu.TensorView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/** Statistics of normalizations, their gradient, and the running averages. */
final class NormKernels {
    private NormKernels() {}

    static Kernel statistics(NormStatistics op, AnchorOperands in) {
        boolean[] reduced = Extents.reduced(op.axes(), in.type(0).rank());
        NormStatisticsKernel kernel = new NormStatisticsKernel(in.view(0), reduced);
        return (pool, arena, draws) -> {
            if (op.centered()) {
                kernel.run(pool, arena, in.resultAt(0), in.resultAt(1), in.workspace());
            } else {
                kernel.runUncentered(pool, arena, in.resultAt(0), in.workspace());
            }
        };
    }

    static Kernel gradient(NormalizeGradient op, AnchorOperands in) {
        int next = 2;
        Optional<TensorView> mean = op.centered() ? Optional.of(in.view(next++)) : Optional.empty();
        TensorView variance = in.view(next++);
        Optional<TensorView> gamma = op.scaled() ? Optional.of(in.view(next)) : Optional.empty();
        boolean[] reduced = Extents.reduced(op.axes(), in.type(1).rank());
        NormGradient kernel = new NormGradient(
                new NormGradient.Operands(in.view(0), in.view(1), mean, variance, gamma), reduced, op.epsilon());
        long dgamma = op.scaled() ? in.resultAt(1) : Gemm.NONE;
        long dbeta = op.shifted() ? in.resultAt(op.scaled() ? 2 : 1) : Gemm.NONE;
        return (pool, arena, draws) ->
                kernel.run(pool, arena, in.resultAt(0), dgamma, dbeta, in.workspace());
    }

    /** {@code running ← (1 − m)·running + m·batch}, the variance made unbiased. */
    static Kernel running(RunningStatistics op, AnchorOperands in) {
        DType type = in.type(0).dtype();
        int channels = Math.toIntExact(in.type(0).elements());
        double samples = op.samples().value();
        double unbiased = samples / (samples - 1);
        return (pool, arena, draws) -> {
            for (int c = 0; c < channels; c++) {
                long at = (long) c * type.bytes();
                average(arena, type, op.momentum(), in.at(0) + at, get(arena, type, in.at(2) + at), in.resultAt(0) + at);
                double variance = unbiased * get(arena, type, in.at(3) + at);
                average(arena, type, op.momentum(), in.at(1) + at, variance, in.resultAt(1) + at);
            }
        };
    }

    private static void average(
            MemorySegment arena, DType type, double momentum, long running, double batch, long result) {
        set(arena, type, result, (1 - momentum) * get(arena, type, running) + momentum * batch);
    }

    private static double get(MemorySegment arena, DType type, long at) {
        return type == DType.F64
                ? arena.get(ValueLayout.JAVA_DOUBLE, at)
                : arena.get(ValueLayout.JAVA_FLOAT, at);
    }

    private static void set(MemorySegment arena, DType type, long at, double value) {
        if (type == DType.F64) {
            arena.set(ValueLayout.JAVA_DOUBLE, at, value);
        } else {
            arena.set(ValueLayout.JAVA_FLOAT, at, (float) value);
        }
    }
}
