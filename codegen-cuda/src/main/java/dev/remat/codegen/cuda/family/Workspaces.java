package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.family.attention.AttentionBiasKernels;
import dev.remat.codegen.cuda.family.attention.AttentionKernels;
import dev.remat.codegen.cuda.family.conv.ConvolutionKernels;
import dev.remat.codegen.cuda.family.gemm.MatMulKernels;
import dev.remat.codegen.cuda.family.image.PoolingKernels;
import dev.remat.codegen.cuda.family.index.EmbeddingKernels;
import dev.remat.codegen.cuda.family.index.GatherKernels;
import dev.remat.codegen.cuda.family.norm.NormalizationKernels;
import dev.remat.codegen.cuda.family.reduce.ReduceKernels;
import dev.remat.codegen.cuda.family.reduce.TensorListKernels;
import dev.remat.codegen.cuda.family.row.CrossEntropyKernels;
import dev.remat.codegen.cuda.family.row.CtcKernels;
import dev.remat.codegen.cuda.target.Architecture;
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
import java.util.List;

/** Scratch memory that the kernels of each operation need between their launches. */
public final class Workspaces {
    private Workspaces() {}

    /** Bytes for one operation on one architecture. */
    public static long bytes(Architecture architecture, Op op, List<TensorType> operands, List<TensorType> results) {
        return switch (op) {
            case Reduce reduce -> ReduceKernels.workspaceBytes(reduce, operands.getFirst());
            case SumOfSquares squares -> TensorListKernels.workspaceBytes(squares.tensors(operands));
            case AllFinite _ -> TensorListKernels.workspaceBytes(operands);
            case MatMul matmul ->
                MatMulKernels.workspaceBytes(
                        architecture, matmul, operands.get(0), operands.get(1), results.getFirst());
            case Conv2d conv -> ConvolutionKernels.forwardWorkspaceBytes(architecture, conv, operands, results);
            case ConvTranspose2d conv ->
                ConvolutionKernels.transposedWorkspaceBytes(architecture, conv, operands, results);
            case Conv2dWeightGradient conv ->
                ConvolutionKernels.weightGradientWorkspaceBytes(architecture, conv, operands, results);
            case NormStatistics statistics ->
                NormalizationKernels.statisticsWorkspaceBytes(statistics, operands.getFirst());
            case NormalizeGradient gradient ->
                NormalizationKernels.gradientWorkspaceBytes(architecture, gradient, operands);
            case CrossEntropy loss -> CrossEntropyKernels.workspaceBytes(loss, operands);
            case CrossEntropyGradient loss -> CrossEntropyKernels.gradientWorkspaceBytes(loss, operands);
            case CtcLoss _ -> CtcKernels.workspaceBytes(operands);
            case CtcLossGradient _ -> CtcKernels.gradientWorkspaceBytes(operands);
            case AttentionGradient _ -> AttentionKernels.gradientWorkspaceBytes(operands);
            case AttentionBiasGradient attention -> AttentionBiasKernels.workspaceBytes(attention, operands);
            case EmbeddingGradient embedding -> EmbeddingKernels.gradientWorkspaceBytes(embedding, operands);
            case MaxPool2dGradient pool -> PoolingKernels.gradientWorkspaceBytes(pool, operands);
            case ScatterAdd scatter -> GatherKernels.scatterAddWorkspaceBytes(scatter, operands);
            case Attention _,
                    AvgPool2d _,
                    AvgPool2dGradient _,
                    Concat _,
                    CumulativeSum _,
                    Elementwise _,
                    Embedding _,
                    Gather _,
                    LearningRate _,
                    MaxPool2d _,
                    Pad _,
                    RandomOp _,
                    ResetSeed _,
                    Softmax _,
                    Sort _,
                    StepSeed _,
                    Update _,
                    View _ -> 0;
        };
    }
}
