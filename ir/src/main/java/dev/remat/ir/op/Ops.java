package dev.remat.ir.op;

import static dev.remat.ir.op.OpFamily.family;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** The table of all operations: it feeds the text parser, the op reference and the coverage tests. */
public final class Ops {
    private static final ConvGeometry DENSE = new ConvGeometry(1, 1, 1, 1, 1, 1, 1);
    private static final ConvGeometry STRIDED = new ConvGeometry(2, 1, 1, 0, 1, 2, 2);
    private static final PoolWindow WINDOW = new PoolWindow(3, 2, 2, 1, 1, 0);
    private static final PoolWindow DILATED = new PoolWindow(2, 3, 1, 2, 0, 1, 2, 1, false);
    private static final PoolWindow PARTIAL = new PoolWindow(2, 3, 2, 2, 0, 1, true);

    private static final List<OpFamily> COMPUTED = List.of(
            OpFamily.of(
                    Unary::parse,
                    "A function of one number, element by element",
                    examples(Unary.Kind.values(), Unary::new)),
            OpFamily.of(
                    UnaryGradient::parse,
                    "Gradient of a function of one number: (dy, x) to dx",
                    examples(UnaryGradient.Kind.values(), UnaryGradient::new)),
            family(
                    LeakyRelu::parse,
                    "x where it is positive, slope times x elsewhere",
                    new LeakyRelu(0.01),
                    new LeakyRelu(-0.5)),
            family(Clamp::parse, "x moved into the interval from low to high", new Clamp(-1, 0.5)),
            OpFamily.of(
                    Binary::parse,
                    "A function of two numbers, element by element",
                    examples(Binary.Kind.values(), Binary::new)),
            OpFamily.of(
                    Compare::parse,
                    "A relation of two numbers, element by element, as a bool",
                    examples(Compare.Kind.values(), Compare::new)),
            family(a -> new Select(), "(condition, a, b): a where the condition is true, else b", new Select()),
            family(
                    Cast::parse,
                    "The same numbers in another dtype",
                    new Cast(DType.BF16),
                    new Cast(DType.F64),
                    new Cast(DType.I64)),
            family(
                    Constant::parse,
                    "A tensor of one repeated value, without operands",
                    new Constant(1.5, TensorType.of(DType.F32, 2, 3)),
                    new Constant(1, TensorType.scalar(DType.BOOL))),
            family(
                    Iota::parse,
                    "Numbers at equal distances, without operands",
                    new Iota(2, 0.5, IndexMap.ROW, TensorType.of(DType.F32, 7)),
                    new Iota(-3, 2, new IndexMap(5, List.of(2L, 0L, 3L)), TensorType.of(DType.I32, 3, 2, 4))),
            family(
                    Table::parse,
                    "Listed numbers, without operands",
                    new Table(List.of(1.5, -2.0, 0.25), IndexMap.ROW, TensorType.of(DType.F32, 3)),
                    new Table(
                            List.of(3.0, 1.0, 2.0, 7.0),
                            new IndexMap(1, List.of(0L, 2L)),
                            TensorType.of(DType.I64, 3, 2)),
                    new Table(List.of(1.0, 0.0), new IndexMap(1, List.of(0L)), TensorType.of(DType.BOOL, 2))),
            family(a -> new StopGradient(), "The operand itself, without gradient", new StopGradient()),
            family(Reshape::parse, "The same elements under another shape", new Reshape(Shape.of(3, 2))),
            family(Broadcast::parse, "Repeats axes of extent 1", new Broadcast(Shape.of(2, 3))),
            family(Transpose::parse, "Puts the axes in another order", new Transpose(List.of(1, 0, 2))),
            family(Slice::parse, "A box of the operand", new Slice(dims(1, 0), dims(2, 2))),
            family(a -> new Contiguous(), "A row-major copy with storage of its own", new Contiguous()),
            family(Pad::parse, "Surrounds the operand with a value", new Pad(dims(1, 0), dims(2, 1), 0.5)),
            family(Concat::parse, "Operands one after the other along an axis", new Concat(1)),
            OpFamily.of(
                    Reduce::parse,
                    "Sum, mean, maximum, minimum or product over axes, which keep extent 1",
                    Stream.concat(
                                    examples(Reduce.Kind.values(), kind -> new Reduce(kind, List.of(0, 2))).stream(),
                                    Stream.of(new Reduce(Reduce.Kind.SUM, List.of(0, 2), true)))
                            .toList()),
            family(
                    SumOfSquares::parse,
                    "Sum of the squares of all elements of several tensors",
                    new SumOfSquares(false),
                    new SumOfSquares(true)),
            family(_ -> new AllFinite(), "Whether all elements of several tensors are finite", new AllFinite()),
            family(
                    MatMul::parse,
                    "Batched matrix product, of operands stored transposed or not",
                    new MatMul(false, false),
                    new MatMul(false, true),
                    new MatMul(true, false),
                    new MatMul(true, true),
                    new MatMul(true, false, true),
                    new MatMul(false, true, false, 5),
                    new MatMul(true, false, true, 5)),
            family(
                    Conv2d::parse,
                    "Two-dimensional convolution: (x [N, C, H, W], w [O, C/groups, kh, kw]) to [N, O, h, w]",
                    new Conv2d(DENSE),
                    new Conv2d(STRIDED)),
            family(
                    ConvTranspose2d::parse,
                    "Adjoint of conv2d by x: (y [N, O, h, w], w [O, C/groups, kh, kw]) to [N, C, H, W]",
                    new ConvTranspose2d(DENSE, Dim.of(5), Dim.of(4)),
                    new ConvTranspose2d(STRIDED, Dim.of(6), Dim.of(5))),
            family(
                    Conv2dWeightGradient::parse,
                    "Adjoint of conv2d by w: (x [N, C, H, W], dy [N, O, h, w]) to [O, C/groups, kh, kw]",
                    new Conv2dWeightGradient(DENSE, Dim.of(3), Dim.of(3)),
                    new Conv2dWeightGradient(STRIDED, Dim.of(3), Dim.of(2)),
                    new Conv2dWeightGradient(DENSE, Dim.of(3), Dim.of(3), true)),
            family(
                    MaxPool2d::parse,
                    "Maximum of each window of [N, C, H, W]",
                    new MaxPool2d(WINDOW),
                    new MaxPool2d(PARTIAL),
                    new MaxPool2d(DILATED)),
            family(
                    MaxPool2dGradient::parse,
                    "Gradient of max_pool2d: (dy, x) to dx, to the first maximum of each window",
                    new MaxPool2dGradient(WINDOW),
                    new MaxPool2dGradient(PARTIAL),
                    new MaxPool2dGradient(DILATED)),
            family(
                    AvgPool2d::parse,
                    "Mean of each window of [N, C, H, W]",
                    new AvgPool2d(WINDOW, true),
                    new AvgPool2d(WINDOW, false),
                    new AvgPool2d(PARTIAL, false)),
            family(
                    AvgPool2dGradient::parse,
                    "Gradient of avg_pool2d: dy to dx",
                    new AvgPool2dGradient(WINDOW, true, Dim.of(5), Dim.of(4)),
                    new AvgPool2dGradient(WINDOW, false, Dim.of(5), Dim.of(4)),
                    new AvgPool2dGradient(PARTIAL, false, Dim.of(5), Dim.of(4))),
            family(
                    NormStatistics::parse,
                    "Mean and biased variance of x over axes, or its mean square",
                    new NormStatistics(List.of(1), true),
                    new NormStatistics(List.of(0, 2), false)),
            family(
                    Normalize::parse,
                    "(x, mean, variance, gamma, beta): (x - mean) * rsqrt(variance + epsilon) * gamma + beta",
                    new Normalize(List.of(1), 1e-5, true, true, true),
                    new Normalize(List.of(0, 2), 1e-3, true, true, true),
                    new Normalize(List.of(1), 1e-5, true, false, false),
                    new Normalize(List.of(1), 1e-6, false, true, false)),
            family(
                    NormalizeGradient::parse,
                    "Total gradient of normalize: (dy, x, mean, variance, gamma) to (dx, dgamma, dbeta)",
                    new NormalizeGradient(List.of(1), 1e-5, true, true, true),
                    new NormalizeGradient(List.of(0, 2), 1e-3, true, true, true),
                    new NormalizeGradient(List.of(1), 1e-5, true, false, false),
                    new NormalizeGradient(List.of(1), 1e-6, false, true, false)),
            family(
                    RunningStatistics::parse,
                    "Moves a running mean and variance towards those of the batch",
                    new RunningStatistics(0.1, Dim.of(6))),
            family(a -> new Softmax(), "exp(x) / sum(exp(x)) over the last axis", new Softmax()),
            family(a -> new Softmax(true), "x - log(sum(exp(x))) over the last axis", new Softmax(true)),
            OpFamily.of(
                    CrossEntropy::parse,
                    "Mean negative log-likelihood: (logits [N, V], targets [N]) to (loss, log-sum-exp [N]); or by row",
                    List.of(
                            new CrossEntropy(0, -100),
                            new CrossEntropy(0.1, 1),
                            new CrossEntropy(0, -100, true),
                            new CrossEntropy(0.1, 1, true))),
            OpFamily.of(
                    CrossEntropyGradient::parse,
                    "Gradient of cross_entropy: (dloss, logits, targets, log-sum-exp) to dlogits",
                    List.of(
                            new CrossEntropyGradient(new CrossEntropy(0, -100)),
                            new CrossEntropyGradient(new CrossEntropy(0.1, 1)),
                            new CrossEntropyGradient(new CrossEntropy(0, -100, true)),
                            new CrossEntropyGradient(new CrossEntropy(0.1, 1, true)))),
            family(
                    MeanLoss::parse,
                    "Mean of what rows have lost, over the targets that count: (losses [N], targets [N]) to a scalar",
                    new MeanLoss(-100)),
            family(
                    CtcLoss::parse,
                    "Labels of unknown place: (log-probabilities [T, N, C], targets [N, S], their lengths) to losses"
                            + " [N]",
                    new CtcLoss(0, false),
                    new CtcLoss(2, true)),
            family(
                    CtcLossGradient::parse,
                    "Gradient of ctc_loss: (dlosses [N], log-probabilities, targets, lengths) to dlog-probabilities",
                    new CtcLossGradient(new CtcLoss(0, false)),
                    new CtcLossGradient(new CtcLoss(2, true))),
            family(
                    Sort::parse,
                    "The numbers of the last axis in order, and where they stood: x to (values, indices)",
                    new Sort(false),
                    new Sort(true)),
            family(
                    CumulativeSum::parse,
                    "Running sums along the last axis",
                    new CumulativeSum(false),
                    new CumulativeSum(true)),
            family(
                    Embedding::parse,
                    "Rows of a table: (table [V, W], ids [..]) to [.., W]",
                    new Embedding(),
                    new Embedding(Optional.of(DType.BF16))),
            family(
                    EmbeddingGradient::parse,
                    "Gradient of embedding: (dy [.., W], ids [..]) to [V, W]",
                    new EmbeddingGradient(Dim.of(5)),
                    new EmbeddingGradient(Dim.of(5), true)),
            family(Gather::parse, "Picks by indices along an axis: (x, indices)", new Gather(0), new Gather(1)),
            family(
                    ScatterAdd::parse,
                    "Adjoint of gather: adds up by indices along an axis: (dy, indices)",
                    new ScatterAdd(0, Dim.of(4)),
                    new ScatterAdd(1, Dim.of(4))),
            family(
                    GatherShares::parse,
                    "Sends what each rank has computed to all: [..] to [ranks, ..]",
                    new GatherShares(2)),
            family(
                    ScatterShares::parse,
                    "Sends every rank its share of what each has computed: [..] to [ranks, share]",
                    new ScatterShares(2)),
            family(
                    Send::parse,
                    "Hands a tensor to another stage: (x, tokens and what was sent before ..) to a token",
                    new Send(1, 3)),
            family(
                    Receive::parse,
                    "Takes a tensor from another stage: (tokens and what was sent before ..) to it and a token",
                    new Receive(1, 3, TensorType.of(DType.F32, 3, 4))),
            family(
                    OwnShare::parse,
                    "A rank's share of tensors, one behind the other: ([..], ..) to [share]",
                    new OwnShare(2, false),
                    new OwnShare(2, true)),
            family(
                    ChunkSquares::parse,
                    "Sums of squares of a rank's share, by chunks of 1,024: ([share], factor if scaled)",
                    new ChunkSquares(List.of(0L, 1024L), List.of(3L, 1000L), false, false),
                    new ChunkSquares(List.of(0L, 1024L), List.of(3L, 1000L), true, true)),
            family(
                    SumOfChunks::parse,
                    "Sum of squares of tensors, of some by sums of their chunks: (tensors, factor if scaled)",
                    new SumOfChunks(List.of(1), false, false),
                    new SumOfChunks(List.of(1), true, true)),
            family(a -> new StepSeed(), "Seed of the first random operation of the step", new StepSeed()),
            family(ResetSeed::parse, "Seed of the random operation of an ordinal", new ResetSeed(2)),
            OpFamily.of(Draw::parse, "Random numbers: seed to (y, next seed)", Draw.EXAMPLES),
            family(
                    Dropout::parse,
                    "(x, seed) to (y, next seed): 0 with probability p, else x / (1 - p)",
                    new Dropout(0.3, 0),
                    new Dropout(0, 1),
                    new Dropout(0.3, 0, Optional.of(new DrawnRows(Dim.of(7), 3))),
                    new Dropout(0.3, 0, Optional.of(new DrawnRows(Dim.of(12), 2))),
                    new Dropout(0.3, 0, Optional.of(new DrawnRows(Dim.of(7), 3).withPiece(2)))),
            family(
                    DropoutGradient::parse,
                    "Gradient of dropout, by the mask drawn again: (dy, seed) to dx",
                    new DropoutGradient(new Dropout(0.3, 0)),
                    new DropoutGradient(new Dropout(0.3, 0, Optional.of(new DrawnRows(Dim.of(12), 2)))),
                    new DropoutGradient(new Dropout(0.3, 0, Optional.of(new DrawnRows(Dim.of(12), 2).withPiece(0))))),
            family(
                    Attention::parse,
                    "softmax(scale * q * k' + bias) * v: (q, k, v, mask, bias) to (o, log-sum-exp)",
                    new Attention(0.5, false, false),
                    new Attention(0.5, true, false),
                    new Attention(0.5, false, true),
                    new Attention(0.5, true, true),
                    new Attention(0.5, false, false, true),
                    new Attention(0.5, true, true, true)),
            family(
                    AttentionGradient::parse,
                    "Gradient of attention: (do, q, k, v, o, log-sum-exp, mask, bias) to (dq, dk, dv)",
                    new AttentionGradient(new Attention(0.5, false, false)),
                    new AttentionGradient(new Attention(0.5, true, false)),
                    new AttentionGradient(new Attention(0.5, false, true)),
                    new AttentionGradient(new Attention(0.5, true, true)),
                    new AttentionGradient(new Attention(0.5, false, false, true)),
                    new AttentionGradient(new Attention(0.5, true, true, true))),
            family(
                    AttentionBiasGradient::parse,
                    "Gradient of attention by its bias: (do, q, k, v, o, log-sum-exp, mask, bias) to dbias",
                    new AttentionBiasGradient(new Attention(0.5, false, false, true)),
                    new AttentionBiasGradient(new Attention(0.5, true, true, true))));

    /** Every family, in the order of the reference. */
    public static final List<OpFamily> ALL =
            Stream.concat(COMPUTED.stream(), UpdateOps.ALL.stream()).toList();

    private static final SequencedMap<String, OpFamily> BY_MNEMONIC = byMnemonic();

    private Ops() {}

    /**
     * The operation written as {@code mnemonic {attributes}}.
     *
     * @throws IllegalArgumentException if there is none, with what is wrong about it
     */
    public static Op parse(String mnemonic, Attributes attributes) {
        OpFamily family = BY_MNEMONIC.get(mnemonic);
        if (family == null) {
            throw new IllegalArgumentException("unknown operation " + mnemonic);
        }
        Op op = family.parser().apply(mnemonic, attributes);
        for (String name : attributes.values().keySet()) {
            if (!op.attributes().values().containsKey(name)) {
                throw new IllegalArgumentException(mnemonic + " has no attribute " + name);
            }
        }
        return op;
    }

    private static <K> List<Op> examples(K[] kinds, Function<K, Op> constructor) {
        return Arrays.stream(kinds).map(constructor).toList();
    }

    private static List<Dim> dims(long... values) {
        return Shape.of(values).dims();
    }

    private static SequencedMap<String, OpFamily> byMnemonic() {
        SequencedMap<String, OpFamily> families = new LinkedHashMap<>();
        for (OpFamily family : ALL) {
            for (String mnemonic : family.mnemonics()) {
                if (families.put(mnemonic, family) != null) {
                    throw new IllegalStateException("two families are called " + mnemonic);
                }
            }
        }
        return Collections.unmodifiableSequencedMap(families);
    }
}
