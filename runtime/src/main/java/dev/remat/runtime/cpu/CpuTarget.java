package dev.remat.runtime.cpu;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.Concat;
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
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Sort;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.View;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.conv.ConvPrimitive.Pass;
import dev.remat.runtime.cpu.norm.NormGradient;
import dev.remat.runtime.cpu.norm.NormStatisticsKernel;
import dev.remat.runtime.cpu.reduce.ReduceKernel;
import dev.remat.runtime.cpu.reduce.TensorFold;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.util.List;
import java.util.Optional;

/**
 * What planning must know of the CPU kernels. Workspaces are sized for {@link WorkerPool#MOST_THREADS} threads, so that
 * a plan does not depend on the machine that made it.
 */
public record CpuTarget() implements TargetModel {
    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public DeviceSpec device() {
        return DeviceSpec.of("cpu", 120e9, 120e9, 20e9, 2_000);
    }

    @Override
    public boolean overlapsSteps() {
        return true;
    }

    @Override
    public long workspaceBytes(Op op, List<TensorType> operands, List<TensorType> results) {
        return switch (op) {
            case MatMul matmul ->
                Shapes.gemm(matmul, operands.get(0), operands.get(1), results.getFirst())
                        .workspaceBytes(WorkerPool.MOST_THREADS);
            case Conv2d conv ->
                BindConv.workspaceBytes(
                        Shapes.conv(conv.geometry(), operands.get(0), operands.get(1), results.getFirst()),
                        Pass.OUTPUT,
                        WorkerPool.MOST_THREADS);
            case ConvTranspose2d conv ->
                BindConv.workspaceBytes(
                        Shapes.conv(conv.geometry(), results.getFirst(), operands.get(1), operands.get(0)),
                        Pass.INPUT_GRADIENT,
                        WorkerPool.MOST_THREADS);
            case Conv2dWeightGradient conv ->
                BindConv.workspaceBytes(
                        Shapes.conv(conv.geometry(), operands.get(0), results.getFirst(), operands.get(1)),
                        Pass.WEIGHT_GRADIENT,
                        WorkerPool.MOST_THREADS);
            case Attention attention -> BindAttention.workspaceBytes(attention, operands);
            case AttentionGradient attention -> BindAttention.workspaceBytes(attention, operands);
            case AttentionBiasGradient attention -> BindAttention.workspaceBytes(attention, operands);
            case Reduce reduce ->
                ReduceKernel.workspaceBytes(
                        operands.getFirst().dtype(),
                        Shapes.dims(operands.getFirst()),
                        Shapes.flags(operands.getFirst().rank(), reduce.axes()));
            case NormStatistics statistics ->
                NormStatisticsKernel.workspaceBytes(
                        Shapes.dims(operands.getFirst()),
                        Shapes.flags(operands.getFirst().rank(), statistics.axes()));
            case NormalizeGradient norm -> {
                TensorType x = operands.get(1);
                yield NormGradient.workspaceBytes(
                        x.dtype(),
                        Shapes.dims(x),
                        Shapes.flags(x.rank(), norm.axes()),
                        norm.scaled() ? Optional.of(Shapes.dims(operands.get(norm.gammaIndex()))) : Optional.empty());
            }
            case CrossEntropy loss ->
                Shapes.crossEntropy(operands.get(0), operands.get(1), loss).workspaceBytes();
            case CtcLossGradient loss ->
                Shapes.ctc(operands.get(1), operands.get(2), loss.forward())
                        .gradientWorkspaceBytes(WorkerPool.MOST_THREADS);
            case Sort sort -> Shapes.sort(operands.getFirst(), sort).workspaceBytes(WorkerPool.MOST_THREADS);
            case EmbeddingGradient embedding ->
                Shapes.embedding(results.getFirst(), operands.getFirst().dtype(), operands.get(1))
                        .gradientWorkspaceBytes();
            case SumOfSquares squares -> TensorFold.workspaceBytes(squares.tensors(operands));
            case AllFinite _ -> TensorFold.workspaceBytes(operands);
            case AvgPool2d _,
                    AvgPool2dGradient _,
                    Concat _,
                    CumulativeSum _,
                    CrossEntropyGradient _,
                    CtcLoss _,
                    Elementwise _,
                    Embedding _,
                    Gather _,
                    LearningRate _,
                    MaxPool2d _,
                    MaxPool2dGradient _,
                    Pad _,
                    RandomOp _,
                    ResetSeed _,
                    ScatterAdd _,
                    Softmax _,
                    StepSeed _,
                    Update _,
                    View _ -> 0;
        };
    }

    @Override
    public boolean acceptsStrides(Op op, int index) {
        return switch (op) {
            case Elementwise _, Reduce _, NormStatistics _, Attention _, Concat _, Pad _ -> true;
            case NormalizeGradient _ -> index < 2;
            case AttentionGradient _, AttentionBiasGradient _ -> index != 5;
            case AllFinite _,
                    AvgPool2d _,
                    AvgPool2dGradient _,
                    Conv2d _,
                    Conv2dWeightGradient _,
                    ConvTranspose2d _,
                    CrossEntropy _,
                    CrossEntropyGradient _,
                    CtcLoss _,
                    CtcLossGradient _,
                    CumulativeSum _,
                    Embedding _,
                    EmbeddingGradient _,
                    Gather _,
                    LearningRate _,
                    MatMul _,
                    MaxPool2d _,
                    MaxPool2dGradient _,
                    RandomOp _,
                    ResetSeed _,
                    ScatterAdd _,
                    Softmax _,
                    Sort _,
                    StepSeed _,
                    SumOfSquares _,
                    Update _,
                    View _ -> false;
        };
    }

    @Override
    public boolean placesResult(Op op, int index) {
        return false;
    }

    @Override
    public boolean fusesEpilogue(Op op) {
        return switch (op) {
            case MatMul _, Conv2d _, ConvTranspose2d _, Conv2dWeightGradient _, Embedding _ -> true;
            case AllFinite _,
                    Attention _,
                    AttentionBiasGradient _,
                    AttentionGradient _,
                    AvgPool2d _,
                    AvgPool2dGradient _,
                    Concat _,
                    CumulativeSum _,
                    CrossEntropy _,
                    CrossEntropyGradient _,
                    CtcLoss _,
                    CtcLossGradient _,
                    Elementwise _,
                    EmbeddingGradient _,
                    Gather _,
                    LearningRate _,
                    MaxPool2d _,
                    MaxPool2dGradient _,
                    NormStatistics _,
                    NormalizeGradient _,
                    Pad _,
                    RandomOp _,
                    Reduce _,
                    ResetSeed _,
                    ScatterAdd _,
                    Softmax _,
                    Sort _,
                    StepSeed _,
                    SumOfSquares _,
                    Update _,
                    View _ -> false;
        };
    }

    @Override
    public boolean fusesPrologue(Op op, List<TensorType> operands) {
        return op instanceof Reduce;
    }
}
