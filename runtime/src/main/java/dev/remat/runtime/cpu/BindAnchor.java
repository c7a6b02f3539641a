package dev.remat.runtime.cpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.AverageUpdate;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.CtcLossGradient;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.OptimizerUpdate;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Sort;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.UpdateRows;
import dev.remat.ir.op.View;
import dev.remat.runtime.cpu.conv.ConvPrimitives;
import dev.remat.runtime.cpu.gemm.Gemm;
import dev.remat.runtime.cpu.image.Pool2d;
import dev.remat.runtime.cpu.index.EmbeddingRows;
import dev.remat.runtime.cpu.index.GatherKernel;
import dev.remat.runtime.cpu.norm.NormGradient;
import dev.remat.runtime.cpu.norm.NormStatisticsKernel;
import dev.remat.runtime.cpu.reduce.TensorFold;
import dev.remat.runtime.cpu.row.CrossEntropyKernel;
import dev.remat.runtime.cpu.row.CtcKernel;
import dev.remat.runtime.cpu.row.CumulativeSumKernel;
import dev.remat.runtime.cpu.row.SoftmaxKernel;
import dev.remat.runtime.cpu.row.SortKernel;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.TensorView;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The kernel of one operation that is neither elementwise nor a reduction. */
record BindAnchor(Binding in, ConvPrimitives convolutions) {

    BoundKernelStep run() {
        return bind(in.op());
    }

    private BoundKernelStep bind(Op anchor) {
        return switch (anchor) {
            case MatMul op -> matmul(op);
            case SumOfSquares op -> sumOfSquares(op);
            case AllFinite _ -> allFinite();
            case Conv2d op -> conv(op);
            case ConvTranspose2d op -> transposedConv(op);
            case Conv2dWeightGradient op -> convWeights(op);
            case Attention op -> BindAttention.forward(op, in, output());
            case AttentionGradient op -> BindAttention.gradient(op, in);
            case AttentionBiasGradient op -> BindAttention.biasGradient(op, in, output());
            case NormStatistics op -> statistics(op);
            case NormalizeGradient op -> normGradient(op);
            case Softmax op -> softmax(op.logarithm());
            case Sort op -> {
                SortKernel kernel = Shapes.sort(in.operandType(0), op);
                long x = in.dense(0);
                long values = in.result(0);
                long indices = in.result(1);
                long workspace = in.workspace(kernel.workspaceBytes(WorkerPool.MOST_THREADS));
                yield frame -> kernel.run(frame.pool(), frame.arena(), x, values, indices, workspace);
            }
            case CumulativeSum op -> {
                TensorType type = in.operandType(0);
                int columns = Shapes.product(type, type.rank() - 1, type.rank());
                CumulativeSumKernel kernel = new CumulativeSumKernel(
                        type.dtype(), Shapes.product(type, 0, type.rank() - 1), columns, op.reverse());
                long x = in.dense(0);
                long y = output();
                yield frame -> kernel.run(frame.pool(), frame.arena(), x, y);
            }
            case CrossEntropy op -> crossEntropy(op);
            case CrossEntropyGradient op -> crossEntropyGradient(op);
            case CtcLoss op -> ctc(op);
            case CtcLossGradient op -> ctcGradient(op);
            case Embedding _ -> embedding();
            case EmbeddingGradient _ -> embeddingGradient();
            case Gather op -> gather(op);
            case ScatterAdd op -> scatterAdd(op);
            case MaxPool2d op -> {
                Pool2d pool = Shapes.pool(op.window(), in.operandType(0), in.resultType(0), false);
                long x = in.dense(0);
                long y = output();
                yield frame -> pool.runMax(frame.pool(), frame.arena(), x, y);
            }
            case MaxPool2dGradient op -> {
                Pool2d pool = Shapes.pool(op.window(), in.operandType(1), in.operandType(0), false);
                long dy = in.dense(0);
                long x = in.dense(1);
                long dx = output();
                yield frame -> pool.runMaxGradient(frame.pool(), frame.arena(), dy, x, dx);
            }
            case AvgPool2d op -> {
                Pool2d pool = Shapes.pool(op.window(), in.operandType(0), in.resultType(0), op.countPadding());
                long x = in.dense(0);
                long y = output();
                yield frame -> pool.runMean(frame.pool(), frame.arena(), x, y);
            }
            case AvgPool2dGradient op -> {
                Pool2d pool = Shapes.pool(op.window(), in.resultType(0), in.operandType(0), op.countPadding());
                long dy = in.dense(0);
                long dx = output();
                yield frame -> pool.runMeanGradient(frame.pool(), frame.arena(), dy, dx);
            }
            case Concat op -> Copies.concat(op, in, output());
            case Pad op -> Copies.pad(op, in, output());
            case OptimizerUpdate op -> BindUpdate.optimizer(op, in);
            case UpdateRows op -> BindUpdate.rows(op, in);
            case AverageUpdate op -> BindUpdate.average(op, in);
            case Assign _ -> BindUpdate.assign(in);
            case Accumulate _ -> BindUpdate.accumulate(in);
            case CombineStatistics _ -> BindUpdate.combineStatistics(in);
            case RunningStatistics op -> BindUpdate.runningStatistics(op, in);
            case ConditionalUpdate op -> {
                BoundKernelStep update = bind(op.update());
                long flag =
                        in.dense(ConditionalUpdate.flagIndex(in.instruction().operands()));
                yield frame -> {
                    if (frame.arena().get(JAVA_BYTE, flag) != 0) {
                        update.run(frame);
                    }
                };
            }
            case LearningRate op -> {
                long step = in.dense(0);
                long rate = output();
                yield frame -> Elements.set(
                        frame.arena(),
                        DType.F32,
                        rate,
                        op.schedule().at(frame.arena().get(JAVA_LONG, step)));
            }
            case Elementwise _, RandomOp _, Reduce _, ResetSeed _, StepSeed _, View _ ->
                throw new IllegalStateException(anchor.mnemonic() + " has no kernel of its own");
        };
    }

    /** Where the first result goes: what is fused goes on from there. */
    private long output() {
        return in.hasEpilogue() ? in.address() : in.result(0);
    }

    private BoundKernelStep matmul(MatMul op) {
        Gemm gemm = Shapes.gemm(op, in.operandType(0), in.operandType(1), in.resultType(0));
        long a = in.dense(0);
        long b = in.dense(1);
        long c = output();
        long workspace = in.workspace(gemm.workspaceBytes(WorkerPool.MOST_THREADS));
        return frame -> gemm.run(frame.pool(), frame.arena(), a, b, Elements.NONE, c, workspace);
    }

    private BoundKernelStep sumOfSquares(SumOfSquares op) {
        List<Integer> tensors = op.tensors(operands());
        TensorFold fold = fold(TensorFold.Kind.SUM_OF_SQUARES, tensors);
        long factor = op.scaled() ? in.dense(tensors.size()) : Elements.NONE;
        DType type = op.scaled() ? in.dtype(tensors.size()) : DType.F32;
        long workspace = workspace(tensors);
        long output = output();
        return frame -> {
            double scale = op.scaled() ? Elements.get(frame.arena(), type, factor) : 1;
            Elements.set(frame.arena(), DType.F32, output, fold.run(frame.pool(), frame.arena(), scale, workspace));
        };
    }

    private BoundKernelStep allFinite() {
        TensorFold fold = fold(TensorFold.Kind.COUNT_OF_NOT_FINITE, operands());
        long workspace = workspace(operands());
        long output = output();
        return frame -> {
            boolean finite = fold.run(frame.pool(), frame.arena(), 1, workspace) == 0;
            frame.arena().set(JAVA_BYTE, output, (byte) (finite ? 1 : 0));
        };
    }

    private List<Integer> operands() {
        return IntStream.range(0, in.instruction().operands().size()).boxed().toList();
    }

    private TensorFold fold(TensorFold.Kind kind, List<Integer> operands) {
        return new TensorFold(
                kind,
                operands.stream().map(in::operandType).toList(),
                operands.stream().map(in::dense).toList());
    }

    private long workspace(List<Integer> operands) {
        return in.workspace(
                TensorFold.workspaceBytes(operands.stream().map(in::operandType).toList()));
    }

    private BoundKernelStep conv(Conv2d op) {
        return BindConv.forward(op, in, output(), convolutions);
    }

    private BoundKernelStep transposedConv(ConvTranspose2d op) {
        return BindConv.transposed(op, in, output(), convolutions);
    }

    private BoundKernelStep convWeights(Conv2dWeightGradient op) {
        return BindConv.weightGradient(op, in, output(), convolutions);
    }

    private BoundKernelStep statistics(NormStatistics op) {
        TensorView x = in.view(0);
        boolean[] axes = Shapes.flags(x.dims().length, op.axes());
        NormStatisticsKernel kernel = new NormStatisticsKernel(x, axes);
        long workspace = in.workspace(NormStatisticsKernel.workspaceBytes(x.dims(), axes));
        long first = output();
        if (!op.centered()) {
            return frame -> kernel.runUncentered(frame.pool(), frame.arena(), first, workspace);
        }
        long variance = in.result(1);
        return frame -> kernel.run(frame.pool(), frame.arena(), first, variance, workspace);
    }

    private BoundKernelStep normGradient(NormalizeGradient op) {
        TensorView x = in.view(1);
        boolean[] axes = Shapes.flags(x.dims().length, op.axes());
        Optional<TensorView> gamma = op.scaled() ? Optional.of(in.view(op.gammaIndex())) : Optional.empty();
        NormGradient kernel = new NormGradient(
                new NormGradient.Operands(
                        in.view(0),
                        x,
                        op.centered() ? Optional.of(in.view(2)) : Optional.empty(),
                        in.view(op.varianceIndex()),
                        gamma),
                axes,
                op.epsilon());
        long dx = in.result(0);
        long dgamma = op.scaled() ? in.result(1) : Elements.NONE;
        long dbeta = op.shifted() ? in.result(2) : Elements.NONE;
        long workspace =
                in.workspace(NormGradient.workspaceBytes(x.type(), x.dims(), axes, gamma.map(TensorView::dims)));
        return frame -> kernel.run(frame.pool(), frame.arena(), dx, dgamma, dbeta, workspace);
    }

    private BoundKernelStep softmax(boolean logarithm) {
        SoftmaxKernel kernel = Shapes.softmax(in.operandType(0), logarithm);
        long x = in.dense(0);
        long y = output();
        return frame -> kernel.run(frame.pool(), frame.arena(), x, y);
    }

    private BoundKernelStep crossEntropy(CrossEntropy op) {
        CrossEntropyKernel kernel = Shapes.crossEntropy(in.operandType(0), in.operandType(1), op);
        long logits = in.dense(0);
        long targets = in.dense(1);
        long loss = in.hasResult(0) || in.hasEpilogue() ? output() : Elements.NONE;
        long lse = in.hasResult(1) ? in.result(1) : Elements.NONE;
        long workspace = in.workspace(kernel.workspaceBytes());
        return frame -> kernel.run(frame.pool(), frame.arena(), logits, targets, loss, lse, workspace);
    }

    private BoundKernelStep crossEntropyGradient(CrossEntropyGradient op) {
        CrossEntropyKernel kernel = Shapes.crossEntropy(in.operandType(1), in.operandType(2), op.forward());
        long dloss = in.dense(0);
        long logits = in.dense(1);
        long targets = in.dense(2);
        long lse = in.dense(3);
        long dlogits = output();
        return frame -> kernel.runGradient(frame.pool(), frame.arena(), dloss, logits, targets, lse, dlogits);
    }

    private BoundKernelStep ctc(CtcLoss op) {
        CtcKernel kernel = Shapes.ctc(in.operandType(0), in.operandType(1), op);
        CtcKernel.Operands operands = ctcOperands(0);
        long losses = output();
        return frame -> kernel.run(frame.pool(), frame.arena(), operands, losses);
    }

    private BoundKernelStep ctcGradient(CtcLossGradient op) {
        CtcKernel kernel = Shapes.ctc(in.operandType(1), in.operandType(2), op.forward());
        long dlosses = in.dense(0);
        CtcKernel.Operands operands = ctcOperands(1);
        long dframes = output();
        long workspace = in.workspace(kernel.gradientWorkspaceBytes(WorkerPool.MOST_THREADS));
        return frame -> kernel.runGradient(frame.pool(), frame.arena(), dlosses, operands, dframes, workspace);
    }

    private CtcKernel.Operands ctcOperands(int first) {
        return new CtcKernel.Operands(in.dense(first), in.dense(first + 1), in.dense(first + 2), in.dense(first + 3));
    }

    private BoundKernelStep embedding() {
        EmbeddingRows kernel =
                Shapes.embedding(in.operandType(0), in.resultType(0).dtype(), in.operandType(1));
        long table = in.dense(0);
        long ids = in.dense(1);
        long output = output();
        return frame -> kernel.run(frame.pool(), frame.arena(), table, ids, output);
    }

    private BoundKernelStep embeddingGradient() {
        EmbeddingRows kernel = Shapes.embedding(in.resultType(0), in.dtype(0), in.operandType(1));
        long dy = in.dense(0);
        long ids = in.dense(1);
        long dtable = output();
        long workspace = in.workspace(kernel.gradientWorkspaceBytes());
        return frame -> kernel.runGradient(frame.pool(), frame.arena(), dy, ids, dtable, workspace);
    }

    private BoundKernelStep gather(Gather op) {
        TensorType x = in.operandType(0);
        GatherKernel kernel =
                Shapes.gather(op.axis(), x.dtype(), in.operandType(1), Shapes.product(x, op.axis(), op.axis() + 1));
        long from = in.dense(0);
        long indices = in.dense(1);
        long output = output();
        return frame -> kernel.run(frame.pool(), frame.arena(), from, indices, output);
    }

    private BoundKernelStep scatterAdd(ScatterAdd op) {
        GatherKernel kernel = Shapes.gather(
                op.axis(),
                in.dtype(0),
                in.operandType(1),
                Math.toIntExact(op.extent().value()));
        long dy = in.dense(0);
        long indices = in.dense(1);
        long output = output();
        return frame -> kernel.runGradient(frame.pool(), frame.arena(), dy, indices, output);
    }
}
