package dev.remat.compiler.fusion;

import dev.remat.ir.Shape;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Broadcast;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.ChunkSquares;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.CtcLossGradient;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.DropoutGradient;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.MeanLoss;
import dev.remat.ir.op.Message;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.OwnShare;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.SeedOp;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Sort;
import dev.remat.ir.op.StopGradient;
import dev.remat.ir.op.SumOfChunks;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.Transpose;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.UnaryGradient;
import dev.remat.ir.op.Update;
import java.util.List;
import java.util.Optional;

/** What an operation on images is called where their channels come last. */
final class TurnedOp {
    private static final ImageLayout LAYOUT = ImageLayout.NHWC;

    private TurnedOp() {}

    /**
     * The operation on turned images; empty where it has none, because it looks at more than
     * four axes, or draws random
     * numbers, which go by the order of elements.
     *
     * @param op all of whose operands and results have four axes
     */
    static Optional<Op> of(Op op) {
        return switch (op) {
            case Conv2d conv -> Optional.of(new Conv2d(conv.geometry().in(LAYOUT), conv.moments()));
            case ConvTranspose2d conv ->
                Optional.of(new ConvTranspose2d(conv.geometry().in(LAYOUT), conv.outputH(), conv.outputW()));
            case Conv2dWeightGradient conv ->
                Optional.of(new Conv2dWeightGradient(
                        conv.geometry().in(LAYOUT), conv.filterH(), conv.filterW(), conv.wide()));
            case MaxPool2d pool -> Optional.of(new MaxPool2d(pool.window().in(LAYOUT)));
            case MaxPool2dGradient pool ->
                Optional.of(new MaxPool2dGradient(pool.window().in(LAYOUT)));
            case AvgPool2d pool -> Optional.of(new AvgPool2d(pool.window().in(LAYOUT), pool.countPadding()));
            case AvgPool2dGradient pool ->
                Optional.of(new AvgPool2dGradient(
                        pool.window().in(LAYOUT), pool.countPadding(), pool.height(), pool.width()));
            case NormStatistics norm -> Optional.of(new NormStatistics(axes(norm.axes()), norm.centered()));
            case Normalize norm ->
                Optional.of(new Normalize(
                        axes(norm.axes()), norm.epsilon(), norm.centered(), norm.scaled(), norm.shifted()));
            case NormalizeGradient norm ->
                Optional.of(new NormalizeGradient(
                        axes(norm.axes()), norm.epsilon(), norm.centered(), norm.scaled(), norm.shifted()));
            case Reduce reduce -> Optional.of(new Reduce(reduce.kind(), axes(reduce.axes()), reduce.wide()));
            case Concat concat -> Optional.of(new Concat(LAYOUT.axis(concat.axis())));
            case Pad pad -> Optional.of(new Pad(LAYOUT.reorder(pad.low()), LAYOUT.reorder(pad.high()), pad.value()));
            case Slice slice -> Optional.of(new Slice(LAYOUT.reorder(slice.starts()), LAYOUT.reorder(slice.sizes())));
            case Broadcast broadcast ->
                Optional.of(
                        new Broadcast(new Shape(LAYOUT.reorder(broadcast.shape().dims()))));
            case Binary _,
                    Cast _,
                    Clamp _,
                    Compare _,
                    Contiguous _,
                    LeakyRelu _,
                    Select _,
                    StopGradient _,
                    Unary _,
                    UnaryGradient _ -> Optional.of(op);
            case AllFinite _,
                    Attention _,
                    AttentionBiasGradient _,
                    AttentionGradient _,
                    ChunkSquares _,
                    CrossEntropy _,
                    CrossEntropyGradient _,
                    CtcLoss _,
                    CtcLossGradient _,
                    CumulativeSum _,
                    DropoutGradient _,
                    Embedding _,
                    EmbeddingGradient _,
                    Exchange _,
                    Gather _,
                    LearningRate _,
                    Literal _,
                    MatMul _,
                    MeanLoss _,
                    Message _,
                    OwnShare _,
                    RandomOp _,
                    Reshape _,
                    ScatterAdd _,
                    SeedOp _,
                    Softmax _,
                    Sort _,
                    SumOfChunks _,
                    SumOfSquares _,
                    Transpose _,
                    Update _ -> Optional.empty();
        };
    }

    private static List<Integer> axes(List<Integer> axes) {
        return axes.stream().map(LAYOUT::axis).toList();
    }
}
