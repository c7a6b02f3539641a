package dev.remat.runtime.executor;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.LogSoftmax;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.View;
import dev.remat.runtime.cpu.Conv;
import dev.remat.runtime.cpu.ConvShape;
import dev.remat.runtime.cpu.ConvWeightGradient;
import dev.remat.runtime.cpu.EmbeddingRows;
import dev.remat.runtime.cpu.Gemm;
import dev.remat.runtime.cpu.Pool2d;

/** The kernel of every operation that is not fused elementwise. */
final class AnchorKernels {
    private AnchorKernels() {}

    static Kernel of(Op op, AnchorOperands in) {
        return switch (op) {
            case MatMul m -> matmul(m, in);
            case Conv2d c -> conv(KernelShapes.conv(c.geometry(), in.type(0), in.resultType(0), in.type(1)), in);
            case ConvTranspose2d c ->
                transposed(KernelShapes.conv(c.geometry(), in.resultType(0), in.type(0), in.type(1)), in);
            case Conv2dWeightGradient c -> weightGradient(
                    KernelShapes.conv(c.geometry(), in.type(0), in.type(1), c.kernelH(), c.kernelW()), in);
            case MaxPool2d p -> {
                Pool2d pool = KernelShapes.pool(p.window(), in.type(0), in.resultType(0), false);
                yield (workers, arena, draws) -> pool.runMax(workers, arena, in.at(0), in.resultAt(0));
            }
            case AvgPool2d p -> {
                Pool2d pool = KernelShapes.pool(p.window(), in.type(0), in.resultType(0), p.countPadding());
                yield (workers, arena, draws) -> pool.runMean(workers, arena, in.at(0), in.resultAt(0));
            }
            case MaxPool2dGradient p -> {
                Pool2d pool = KernelShapes.pool(p.window(), in.type(1), in.type(0), false);
                yield (workers, arena, draws) ->
                    pool.runMaxGradient(workers, arena, in.at(0), in.at(1), in.resultAt(0));
            }
            case AvgPool2dGradient p -> {
                Pool2d pool = KernelShapes.pool(p.window(), in.resultType(0), in.type(0), p.countPadding());
                yield (workers, arena, draws) -> pool.runMeanGradient(workers, arena, in.at(0), in.resultAt(0));
            }
            case NormStatistics n -> NormKernels.statistics(n, in);
            case NormalizeGradient n -> NormKernels.gradient(n, in);
            case RunningStatistics r -> NormKernels.running(r, in);
            case Softmax s -> softmax(in, false);
            case LogSoftmax s -> softmax(in, true);
            case CrossEntropy c -> {
                var kernel = KernelShapes.crossEntropy(in.type(0), in.type(1), c.labelSmoothing(), c.ignoreIndex());
                yield (workers, arena, draws) -> kernel.run(
                        workers, arena, in.at(0), in.at(1), in.resultAt(0), in.resultAt(1), in.workspace());
            }
            case CrossEntropyGradient c -> {
                var kernel = KernelShapes.crossEntropy(in.type(1), in.type(2), c.labelSmoothing(), c.ignoreIndex());
                yield (workers, arena, draws) -> kernel.runGradient(
                        workers, arena, in.at(0), in.at(1), in.at(2), in.at(3), in.resultAt(0));
            }
            case Embedding e -> {
                EmbeddingRows rows = KernelShapes.embedding(in.type(0), in.type(1));
                yield (workers, arena, draws) -> rows.run(workers, arena, in.at(0), in.at(1), in.resultAt(0));
            }
            case EmbeddingGradient e -> {
                EmbeddingRows rows = KernelShapes.embedding(in.resultType(0), in.type(1));
                yield (workers, arena, draws) ->
                    rows.runGradient(workers, arena, in.at(0), in.at(1), in.resultAt(0), in.workspace());
            }
            case Gather g -> {
                var kernel = KernelShapes.gather(g.axis(), in.type(0).dtype(), in.type(0), in.type(1));
                yield (workers, arena, draws) -> kernel.run(workers, arena, in.at(0), in.at(1), in.resultAt(0));
            }
            case ScatterAdd s -> {
                TensorType sums = in.resultType(0);
                var kernel = KernelShapes.gather(s.axis(), sums.dtype(), sums, in.type(1));
                yield (workers, arena, draws) ->
                    kernel.runGradient(workers, arena, in.at(0), in.at(1), in.resultAt(0));
            }
            case Concat c -> CopyKernels.concat(c, in);
            case Pad p -> CopyKernels.pad(p, in);
            case Attention a -> AttentionKernels.forward(a, in);
            case AttentionGradient a -> AttentionKernels.gradient(a, in);
            case LearningRate r -> UpdateKernels.rate(r, in);
            case SgdUpdate u -> UpdateKernels.sgd(u, in);
            case AdamUpdate u -> UpdateKernels.adam(u, in);
            case Elementwise e -> throw misplaced(op);
            case Reduce r -> throw misplaced(op);
            case View v -> throw misplaced(op);
            case StepSeed s -> throw misplaced(op);
            case ResetSeed s -> throw misplaced(op);
        };
    }

    private static IllegalStateException misplaced(Op op) {
        return new IllegalStateException(op.mnemonic() + " anchors no kernel");
    }

    private static Kernel matmul(MatMul op, AnchorOperands in) {
        Gemm gemm = KernelShapes.gemm(op, in.type(0), in.type(1));
        return (workers, arena, draws) ->
                gemm.run(workers, arena, in.at(0), in.at(1), Gemm.NONE, in.resultAt(0), in.workspace());
    }

    private static Kernel conv(ConvShape shape, AnchorOperands in) {
        Conv conv = new Conv(shape);
        return (workers, arena, draws) ->
                conv.run(workers, arena, in.at(0), in.at(1), in.resultAt(0), in.workspace());
    }

    private static Kernel transposed(ConvShape shape, AnchorOperands in) {
        Conv conv = new Conv(shape);
        return (workers, arena, draws) ->
                conv.runTransposed(workers, arena, in.at(0), in.at(1), in.resultAt(0), in.workspace());
    }

    private static Kernel weightGradient(ConvShape shape, AnchorOperands in) {
        ConvWeightGradient gradient = new ConvWeightGradient(shape);
        return (workers, arena, draws) ->
                gradient.run(workers, arena, in.at(0), in.at(1), in.resultAt(0), in.workspace());
    }

    private static Kernel softmax(AnchorOperands in, boolean logarithm) {
        var softmax = KernelShapes.softmax(in.type(0), logarithm);
        return (workers, arena, draws) -> softmax.run(workers, arena, in.at(0), in.resultAt(0));
    }
}
