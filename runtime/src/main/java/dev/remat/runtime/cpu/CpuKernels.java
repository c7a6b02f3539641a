package dev.remat.runtime.cpu;

import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.ChunkSquares;
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
import dev.remat.ir.op.ElementwiseUpdate;
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
import dev.remat.ir.op.UpdateRows;
import dev.remat.ir.op.View;
import dev.remat.runtime.cpu.attention.AttentionBiasGradientKernel;
import dev.remat.runtime.cpu.attention.AttentionGradientKernel;
import dev.remat.runtime.cpu.attention.AttentionKernel;
import dev.remat.runtime.cpu.conv.ConvKernel;
import dev.remat.runtime.cpu.conv.FindPrimitive;
import dev.remat.runtime.cpu.elementwise.Copies;
import dev.remat.runtime.cpu.exchange.ExchangeKernel;
import dev.remat.runtime.cpu.exchange.MessageKernel;
import dev.remat.runtime.cpu.exchange.OwnShareKernel;
import dev.remat.runtime.cpu.gemm.Gemm;
import dev.remat.runtime.cpu.image.Pool2d;
import dev.remat.runtime.cpu.index.EmbeddingRows;
import dev.remat.runtime.cpu.index.GatherKernel;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.norm.NormGradient;
import dev.remat.runtime.cpu.norm.NormStatisticsKernel;
import dev.remat.runtime.cpu.reduce.ReduceKernel;
import dev.remat.runtime.cpu.reduce.TensorFold;
import dev.remat.runtime.cpu.row.CrossEntropyKernel;
import dev.remat.runtime.cpu.row.CtcKernel;
import dev.remat.runtime.cpu.row.CumulativeSumKernel;
import dev.remat.runtime.cpu.row.SoftmaxKernel;
import dev.remat.runtime.cpu.row.SortKernel;
import dev.remat.runtime.cpu.update.StateUpdates;

/**
 * Which kernel runs which operation: planning and running ask the same entry.
 *
 * @param convolutions what oneDNN runs
 */
record CpuKernels(FindPrimitive convolutions) {
    /** Another where kernels round otherwise than before, which runs that go on are told. */
    static final String GENERATION = "5";

    /** Of what other kernels compute on their way, or nothing computes. */
    private static final CpuKernel NONE = new CpuKernel(in -> {
        throw new IllegalStateException(in.op().mnemonic() + " has no kernel of its own");
    });

    KernelEntry of(Op any) {
        return switch (any) {
            case AllFinite op -> KernelEntry.of(types -> TensorFold.of(op, types));
            case Attention op ->
                KernelEntry.of(types -> AttentionKernel.of(op, types)).strided();
            case AttentionBiasGradient op ->
                KernelEntry.of(types -> AttentionBiasGradientKernel.of(op, types))
                        .strided(operand -> operand != 5);
            case AttentionGradient op ->
                KernelEntry.of(types -> AttentionGradientKernel.of(op, types)).strided(operand -> operand != 5);
            case AvgPool2d op -> KernelEntry.of(Pool2d.of(op));
            case AvgPool2dGradient op -> KernelEntry.of(Pool2d.of(op));
            case Concat op -> KernelEntry.of(Copies.of(op)).strided();
            case Conv2d op ->
                KernelEntry.of(types -> ConvKernel.of(op, types, convolutions)).withEpilogue();
            case Conv2dWeightGradient op ->
                KernelEntry.of(types -> ConvKernel.of(op, types, convolutions)).withEpilogue();
            case ConvTranspose2d op ->
                KernelEntry.of(types -> ConvKernel.of(op, types, convolutions)).withEpilogue();
            case CrossEntropy op -> KernelEntry.of(types -> CrossEntropyKernel.of(op, types));
            case CrossEntropyGradient op -> KernelEntry.of(CrossEntropyKernel.of(op));
            case CtcLoss op -> KernelEntry.of(CtcKernel.of(op));
            case CtcLossGradient op -> KernelEntry.of(types -> CtcKernel.of(op, types));
            case CumulativeSum op -> KernelEntry.of(CumulativeSumKernel.of(op));
            case Embedding op -> KernelEntry.of(EmbeddingRows.of(op)).withEpilogue();
            case EmbeddingGradient _ -> KernelEntry.of(EmbeddingRows.ofGradient());
            case Exchange op -> KernelEntry.of(ExchangeKernel.of(op));
            case Message op -> KernelEntry.of(MessageKernel.of(op));
            case OwnShare op -> KernelEntry.of(OwnShareKernel.of(op));
            case Gather op -> KernelEntry.of(GatherKernel.of(op));
            case LearningRate op -> KernelEntry.of(StateUpdates.of(op));
            case MatMul op -> KernelEntry.of(types -> Gemm.of(op, types)).withEpilogue();
            case MaxPool2d op -> KernelEntry.of(Pool2d.of(op));
            case MaxPool2dGradient op -> KernelEntry.of(Pool2d.of(op));
            case MeanLoss op -> KernelEntry.of(CrossEntropyKernel.of(op));
            case NormStatistics op ->
                KernelEntry.of(types -> NormStatisticsKernel.of(op, types)).strided();
            case NormalizeGradient op ->
                KernelEntry.of(types -> NormGradient.of(op, types)).strided(operand -> operand < 2);
            case Pad op -> KernelEntry.of(Copies.of(op)).strided();
            case Reduce op ->
                KernelEntry.of(types -> ReduceKernel.of(op, types)).strided().withPrologue();
            case ScatterAdd op -> KernelEntry.of(GatherKernel.of(op));
            case Softmax op -> KernelEntry.of(SoftmaxKernel.of(op));
            case Sort op -> KernelEntry.of(types -> SortKernel.of(op, types));
            case ChunkSquares op -> KernelEntry.of(TensorFold.of(op));
            case SumOfChunks op -> KernelEntry.of(types -> TensorFold.of(op, types));
            case SumOfSquares op -> KernelEntry.of(types -> TensorFold.of(op, types));
            case Accumulate op -> KernelEntry.of(StateUpdates.of(op));
            case Assign op -> KernelEntry.of(StateUpdates.of(op));
            case CombineStatistics op -> KernelEntry.of(StateUpdates.of(op));
            case ConditionalUpdate op ->
                KernelEntry.of(
                        types -> StateUpdates.of(op, of(op.update()).kernel().apply(types)));
            case ElementwiseUpdate op -> KernelEntry.of(StateUpdates.of(op));
            case RunningStatistics op -> KernelEntry.of(StateUpdates.of(op));
            case UpdateRows op -> KernelEntry.of(StateUpdates.of(op));
            case Elementwise _ -> KernelEntry.of(NONE).strided();
            case ResetSeed _, StepSeed _, View _ -> KernelEntry.of(NONE);
        };
    }
}
