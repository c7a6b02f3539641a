package dev.remat.tests.reference;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.Broadcast;
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
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Sort;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.StopGradient;
import dev.remat.ir.op.SumOfChunks;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.Transpose;
import dev.remat.ir.op.UpdateRows;
import java.util.List;
import java.util.stream.Stream;

/**
 * One application of an operation: operands and the types of the results.
 *
 * @param step number of the training step
 * @param microBatch number of the micro-batch within it
 */
record Evaluation(List<Tensor> operands, List<TensorType> types, long userSeed, long step, int microBatch) {
    Tensor operand(int index) {
        return operands.get(index);
    }

    TensorType type() {
        return types.getFirst();
    }

    List<Tensor> apply(Op op) {
        return TurnedImages.onPlanes(op)
                .map(planes -> TurnedImages.evaluate(op, planes, this))
                .orElseGet(() -> applyAsItIs(op));
    }

    private List<Tensor> convolve(Conv2d op) {
        Tensor y = Convolutions.forward(this, op.geometry());
        if (!op.moments()) {
            return List.of(y);
        }
        // Of what is stored.
        Evaluation statistics =
                new Evaluation(List.of(Rounding.TO_DTYPE.round(y)), types.subList(1, 3), userSeed, step, microBatch);
        return Stream.concat(Stream.of(y), statistics.apply(op.statistics()).stream())
                .toList();
    }

    private List<Tensor> applyAsItIs(Op op) {
        return switch (op) {
            case Elementwise e -> new ElementwiseReference(this).apply(e);
            case StopGradient g -> List.of(operand(0));
            case Reshape r -> List.of(new Tensor(type(), operand(0).data()));
            case Broadcast b -> List.of(Tensor.generate(type(), operand(0)::repeated));
            case Transpose t -> List.of(Rearrangement.transpose(this, t));
            case Slice s -> List.of(Rearrangement.slice(this, s));
            case Pad p -> List.of(Rearrangement.pad(this, p));
            case Concat c -> List.of(Rearrangement.concat(this, c));
            case Embedding e -> List.of(Rearrangement.embedding(this));
            case EmbeddingGradient e -> List.of(Rearrangement.embeddingGradient(this));
            case Exchange x -> List.of(Rearrangement.exchange(this, x));
            case Message _ ->
                types.stream().map(type -> Tensor.generate(type, _ -> 0)).toList();
            case OwnShare x -> List.of(Rearrangement.ownShare(this, x));
            case ChunkSquares c -> List.of(Reductions.chunkSquares(this, c));
            case SumOfChunks c -> List.of(Reductions.sumOfChunks(this, c));
            case Gather g -> List.of(Rearrangement.gather(this, g));
            case ScatterAdd s -> List.of(Rearrangement.scatterAdd(this, s));
            case Reduce r -> List.of(Reductions.reduce(this, r));
            case SumOfSquares s -> List.of(Reductions.sumOfSquares(this, s));
            case AllFinite f -> List.of(Reductions.allFinite(this));
            case MatMul m -> List.of(Reductions.matMul(this, m));
            case Softmax s -> List.of(s.logarithm() ? Reductions.logSoftmax(this) : Reductions.softmax(this));
            case Sort s -> RowOrder.sort(this, s);
            case CumulativeSum c -> List.of(RowOrder.cumulativeSum(this, c));
            case CrossEntropy c -> Losses.crossEntropy(this, c);
            case MeanLoss m -> List.of(Losses.mean(this, m));
            case CrossEntropyGradient c -> List.of(Losses.crossEntropyGradient(this, c.forward()));
            case CtcLoss c -> List.of(LabelPaths.losses(this, c));
            case CtcLossGradient c -> List.of(LabelPaths.gradient(this, c.forward()));
            case Conv2d c -> convolve(c);
            case ConvTranspose2d c -> List.of(Convolutions.byInput(this, c.geometry()));
            case Conv2dWeightGradient c -> List.of(Convolutions.byFilter(this, c.geometry()));
            case MaxPool2d p -> List.of(Pools.max(this, p.window()));
            case MaxPool2dGradient p -> List.of(Pools.maxGradient(this, p.window()));
            case AvgPool2d p -> List.of(Pools.mean(this, p));
            case AvgPool2dGradient p -> List.of(Pools.meanGradient(this, p));
            case NormStatistics n -> Normalizations.statistics(this, n);
            case NormalizeGradient n -> Normalizations.gradient(this, n);
            case RunningStatistics r -> Updates.running(this, r);
            case ElementwiseUpdate u -> Updates.elementwise(this, u);
            case Assign a -> List.of(operand(1));
            case Accumulate a -> List.of(Updates.accumulated(this));
            case CombineStatistics c -> Updates.combined(this);
            case ConditionalUpdate c -> Updates.conditional(this, c);
            case UpdateRows r -> Updates.rows(this, r);
            case LearningRate l ->
                List.of(Tensor.of(type(), l.schedule().at((long) operand(0).scalar())));
            case Attention a -> AttentionReference.forward(this, a);
            case AttentionGradient a -> AttentionReference.gradient(this, a);
            case AttentionBiasGradient a -> List.of(AttentionReference.biasGradient(this, a));
            case StepSeed s -> List.of(Tensor.of(type(), 0));
            case ResetSeed r -> List.of(Tensor.of(type(), r.ordinal()));
        };
    }
}
