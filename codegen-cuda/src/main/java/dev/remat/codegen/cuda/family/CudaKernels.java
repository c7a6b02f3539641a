package dev.remat.codegen.cuda.family;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.family.attention.AttentionBiasKernel;
import dev.remat.codegen.cuda.family.attention.AttentionKernels;
import dev.remat.codegen.cuda.family.conv.ConvolutionKernel;
import dev.remat.codegen.cuda.family.elementwise.CastKernel;
import dev.remat.codegen.cuda.family.elementwise.ElementwiseKernel;
import dev.remat.codegen.cuda.family.gemm.MatMulKernel;
import dev.remat.codegen.cuda.family.image.PoolingKernels;
import dev.remat.codegen.cuda.family.index.EmbeddingKernels;
import dev.remat.codegen.cuda.family.index.GatherKernels;
import dev.remat.codegen.cuda.family.move.CopyKernels;
import dev.remat.codegen.cuda.family.move.PadKernel;
import dev.remat.codegen.cuda.family.norm.NormStatisticsKernel;
import dev.remat.codegen.cuda.family.norm.NormalizeGradientKernel;
import dev.remat.codegen.cuda.family.reduce.ReduceKernel;
import dev.remat.codegen.cuda.family.reduce.TensorListKernels;
import dev.remat.codegen.cuda.family.row.CrossEntropyKernels;
import dev.remat.codegen.cuda.family.row.CtcKernels;
import dev.remat.codegen.cuda.family.row.RowOrderKernels;
import dev.remat.codegen.cuda.family.row.SoftmaxKernels;
import dev.remat.codegen.cuda.family.update.LearningRateKernel;
import dev.remat.codegen.cuda.family.update.StatisticsKernel;
import dev.remat.codegen.cuda.family.update.UpdateKernel;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.ChunkSquares;
import dev.remat.ir.op.CombineStatistics;
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
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.MeanLoss;
import dev.remat.ir.op.Message;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.OwnShare;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Sort;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.SumOfChunks;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.View;

/** The one place that knows which operation has which kernel. */
public final class CudaKernels {
    private CudaKernels() {}

    public static CudaKernel of(Op op) {
        return switch (op) {
            case Cast _ -> new CastKernel();
            case Elementwise _ -> new ElementwiseKernel();
            case Reduce reduce -> new ReduceKernel(reduce);
            case SumOfSquares squares -> TensorListKernels.of(squares);
            case AllFinite _ -> TensorListKernels.ofFinite();
            case MatMul product -> new MatMulKernel(product);
            case Conv2d conv -> new ConvolutionKernel.Forward(conv);
            case ConvTranspose2d conv -> new ConvolutionKernel.Transposed(conv);
            case Conv2dWeightGradient gradient -> new ConvolutionKernel.ByFilters(gradient);
            case MaxPool2d pool -> PoolingKernels.of(pool);
            case MaxPool2dGradient gradient -> new PoolingKernels.MaxGradient(gradient);
            case AvgPool2d pool -> PoolingKernels.of(pool);
            case AvgPool2dGradient gradient -> PoolingKernels.of(gradient);
            case NormStatistics statistics -> new NormStatisticsKernel(statistics);
            case NormalizeGradient gradient -> new NormalizeGradientKernel(gradient);
            case Softmax softmax -> step -> SoftmaxKernels.lower(softmax, step);
            case Sort sort -> step -> RowOrderKernels.sort(sort, step);
            case CumulativeSum sum -> step -> RowOrderKernels.cumulativeSum(sum, step);
            case CrossEntropy loss -> CrossEntropyKernels.of(loss);
            case CrossEntropyGradient gradient -> CrossEntropyKernels.of(gradient);
            case MeanLoss mean -> CrossEntropyKernels.of(mean);
            case CtcLoss loss -> CtcKernels.of(loss);
            case CtcLossGradient gradient -> CtcKernels.of(gradient);
            case Attention attention -> new AttentionKernels.Forward(attention);
            case AttentionGradient gradient -> new AttentionKernels.Gradient(gradient);
            case AttentionBiasGradient gradient -> new AttentionBiasKernel(gradient);
            case Embedding _ -> EmbeddingKernels::forward;
            case EmbeddingGradient gradient -> EmbeddingKernels.of(gradient);
            case Gather gather -> step -> GatherKernels.gather(gather, step);
            case ScatterAdd scatter -> GatherKernels.of(scatter);
            case Concat concat -> new CopyKernels.Concatenation(concat);
            case Pad pad -> new PadKernel(pad);
            case LearningRate rate -> step -> LearningRateKernel.lower(rate, step);
            case RunningStatistics _, CombineStatistics _ -> new StatisticsKernel();
            case Update _ -> new UpdateKernel();
            case ChunkSquares squares -> TensorListKernels.of(squares);
            case SumOfChunks sum -> TensorListKernels.of(sum);
            // Who runs a stage moves what it sends and takes.
            case Message _ -> _ -> {};
            case Exchange _, OwnShare _, ResetSeed _, StepSeed _, View _ ->
                step -> {
                    throw new IllegalStateException(step.op().mnemonic() + " has no kernel");
                };
        };
    }
}
