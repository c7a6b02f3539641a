package dev.remat.tests.reference;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
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
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.CtcLossGradient;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.DropoutGradient;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.MeanLoss;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.OwnShare;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.Receive;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.Send;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Sort;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.StopGradient;
import dev.remat.ir.op.SumOfChunks;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.Transpose;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.UnaryGradient;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Small operands that suit the examples of {@link dev.remat.ir.op.Ops#ALL}: the switch makes javac name an operation
 * without them. Random, but the same at every call, and off the points where a function has no derivative.
 *
 * @param real dtype of the floating point operands; statistics and losses have its accumulator
 */
public record OpSamples(DType real) {
    private static final TensorType STEP = TensorType.scalar(DType.I64);

    /** One or more lists of operands. */
    public List<List<Tensor>> of(Op op) {
        SampleSource s = new SampleSource(real, 7);
        return switch (op) {
            case Unary u -> List.of(List.of(unary(s, u.kind())));
            case UnaryGradient u -> List.of(List.of(s.number(3, 4), s.number(3, 4)));
            case LeakyRelu l -> List.of(List.of(s.number(3, 4)));
            case Clamp c -> List.of(List.of(s.number(3, 4)));
            case Binary b -> List.of(binary(s, b.kind()));
            case Compare c -> List.of(List.of(s.digit(3, 4), s.digit(3, 4)));
            case Select w -> List.of(List.of(s.bool(3, 4), s.number(3, 4), s.number(3, 4)));
            case Cast c -> List.of(List.of(s.number(3, 4)), List.of(s.index(3, 3, 4)), List.of(s.bool(3, 4)));
            case Literal l -> List.of(List.of());
            case StopGradient g -> List.of(List.of(s.number(2, 3)));
            case Reshape r -> List.of(List.of(s.number(2, 3)));
            case Broadcast b -> List.of(List.of(s.number(1, 3)), List.of(s.number(1, 1)));
            case Transpose t -> List.of(List.of(s.number(2, 3, 4)));
            case Slice l -> List.of(List.of(s.number(4, 3)));
            case Contiguous c -> List.of(List.of(s.number(2, 3)));
            case Pad p -> List.of(List.of(s.number(2, 3)));
            case Concat c -> List.of(List.of(s.number(2, 3), s.number(2, 1), s.number(2, 2)), List.of(s.number(2, 3)));
            case Reduce r -> List.of(List.of(s.distinct(2, 3, 4)));
            case SumOfSquares q -> {
                List<Tensor> operands = new ArrayList<>(List.of(s.number(3, 4), s.number(), s.number(5)));
                if (q.scaled()) {
                    operands.add(s.wide(s.number()));
                }
                yield List.of(operands);
            }
            case AllFinite f -> List.of(List.of(s.number(3, 4), s.number(5)));
            case MatMul m -> matMul(s, m);
            case Conv2d c -> List.of(List.of(s.number(2, 4, 4, 5), kernels(s, c.geometry())));
            case ConvTranspose2d c -> List.of(List.of(convolved(s, c), kernels(s, c.geometry())));
            case Conv2dWeightGradient c -> List.of(List.of(s.number(2, 4, 4, 5), convolvedBy(s, c)));
            case MaxPool2d p -> List.of(List.of(s.distinct(2, 3, 5, 4)));
            case MaxPool2dGradient p -> {
                Tensor x = s.distinct(2, 3, 5, 4);
                TensorType y =
                        new MaxPool2d(p.window()).infer(List.of(x.type())).getFirst();
                yield List.of(List.of(s.number(y.shape().toArray()), x));
            }
            case AvgPool2d p -> List.of(List.of(s.number(2, 3, 5, 4)));
            case AvgPool2dGradient p -> List.of(List.of(s.number(2, 3, 3, 3)));
            case NormStatistics n -> List.of(List.of(s.number(2, 3, 4)));
            case Normalize n -> List.of(normalized(s, n, s.number(2, 3, 4)));
            case NormalizeGradient n -> {
                Normalize forward = new Normalize(n.axes(), n.epsilon(), n.centered(), n.scaled(), false);
                List<Tensor> operands = new ArrayList<>(List.of(s.number(2, 3, 4)));
                operands.addAll(normalized(s, forward, s.number(2, 3, 4)));
                yield List.of(operands);
            }
            case Softmax f -> List.of(List.of(s.number(2, 3, 4)));
            case Sort o -> List.of(List.of(s.distinct(2, 3, 5)), List.of(s.distinct(9)));
            case CumulativeSum c -> List.of(List.of(s.number(2, 3, 5)), List.of(s.number(300)));
            case CrossEntropy c -> List.of(List.of(s.number(4, 3), targets()));
            case CrossEntropyGradient c -> {
                Tensor logits = s.number(4, 3);
                Tensor lse = results(c.forward(), logits, targets()).get(1);
                Tensor dloss = s.wide(c.forward().perRow() ? s.number(4) : s.number());
                List<Tensor> whole = List.of(dloss, logits, targets(), lse);
                yield c.forward().perRow()
                        ? List.of(whole)
                        : List.of(whole, List.of(dloss, logits, targets(), lse, moreTargets()));
            }
            case MeanLoss _ -> List.of(List.of(s.wide(s.number(4)), targets()));
            case CtcLoss c -> List.of(labelled(s, c));
            case CtcLossGradient c -> {
                List<Tensor> operands = new ArrayList<>(List.of(s.wide(s.number(3))));
                operands.addAll(labelled(s, c.forward()));
                yield List.of(operands);
            }
            case Embedding e -> {
                SampleSource table = e.rounded().isPresent() ? new SampleSource(DType.F32, 7) : s;
                yield List.of(List.of(table.number(5, 3), s.index(5, 2, 4)), List.of(table.number(5, 3), s.index(5)));
            }
            case EmbeddingGradient e -> {
                List<Tensor> alone = List.of(s.number(2, 4, 3), s.index(5, 2, 4));
                yield e.wide()
                                || EmbeddingGradient.isAsWideAsSums(
                                        alone.getFirst().type().dtype())
                        ? List.of(alone, List.of(alone.get(0), alone.get(1), s.wide(s.number(5, 3))))
                        : List.of(alone);
            }
            case Exchange x -> List.of(List.of(s.number(3, 4)));
            case Send _ -> List.of(List.of(s.number(3, 4)));
            case Receive _ -> List.of(List.of());
            case ChunkSquares c -> {
                List<Tensor> operands = new ArrayList<>(List.of(s.number(2048)));
                if (c.scaled()) {
                    operands.add(s.wide(s.number()));
                }
                yield List.of(operands);
            }
            case SumOfChunks c -> {
                List<Tensor> operands = new ArrayList<>(List.of(
                        s.number(3, 4), Tensor.generate(TensorType.of(DType.F64, 70), index -> 0.5 + index[0] % 7)));
                if (c.scaled()) {
                    operands.add(s.wide(s.number()));
                }
                yield List.of(operands);
            }
            case OwnShare x -> List.of(List.of(s.number(3, 4), s.number(5)));
            case Gather g -> List.of(List.of(s.number(4, 4), g.axis() == 0 ? s.index(4, 6, 4) : s.index(4, 4, 2)));
            case ScatterAdd a -> {
                long[] extents = a.axis() == 0 ? new long[] {6, 4} : new long[] {4, 2};
                yield List.of(List.of(s.number(extents), s.index(4, extents)));
            }
            case StepSeed e -> List.of(List.of());
            case ResetSeed r -> List.of(List.of());
            case Draw d -> List.of(List.of(seed(d.ordinal())));
            case Dropout d -> List.of(List.of(dropped(s, d), seed(d.ordinal())));
            case DropoutGradient d ->
                List.of(List.of(dropped(s, d), seed(d.forward().ordinal())));
            case Attention a -> attentions(s, a);
            case AttentionGradient a -> attentionGradients(s, a.forward());
            case AttentionBiasGradient a -> attentionGradients(s, a.forward());
            case Update u -> UpdateSamples.of(s, u);
            case LearningRate l ->
                List.of(List.of(Tensor.of(STEP, 1)), List.of(Tensor.of(STEP, 7)), List.of(Tensor.of(STEP, 70)));
        };
    }

    private static Tensor unary(SampleSource s, Unary.Kind kind) {
        return switch (kind) {
            case LOG, SQRT, RSQRT, RECIPROCAL, LOG1P, LOG2, LOG10 -> s.positive(3, 4);
            case TAN, ASIN, ACOS, ATANH -> s.fraction(3, 4);
            case ACOSH -> s.beyondOne(3, 4);
            case NOT -> s.bool(3, 4);
            case NEG,
                    EXP,
                    ABS,
                    SIGN,
                    RELU,
                    GELU,
                    GELU_TANH,
                    SILU,
                    SIGMOID,
                    TANH,
                    SOFTPLUS,
                    FLOOR,
                    CEIL,
                    ROUND,
                    TRUNC,
                    EXPM1,
                    EXP2,
                    ERF,
                    SIN,
                    COS,
                    ATAN,
                    SINH,
                    COSH,
                    ASINH -> s.number(3, 4);
        };
    }

    private static List<Tensor> binary(SampleSource s, Binary.Kind kind) {
        return switch (kind) {
            case ADD, SUB, MUL, MIN, MAX, ATAN2 -> List.of(s.number(3, 4), s.number(3, 4));
            case FLOORDIV, REMAINDER, FMOD -> List.of(s.number(3, 4), s.half(3, 4));
            case DIV, POW -> List.of(s.positive(3, 4), s.number(3, 4));
            case AND, OR -> List.of(s.bool(3, 4), s.bool(3, 4));
        };
    }

    private static List<List<Tensor>> matMul(SampleSource s, MatMul op) {
        List<List<Tensor>> samples = new ArrayList<>();
        if (op.wholeRows() > 0 && op.sumsRows()) {
            samples.add(List.of(s.number(2, 3), s.number(2, 5)));
            samples.add(List.of(s.number(3, 3), s.number(3, 5), s.wide(s.number(3, 5))));
            return samples;
        } else if (op.wholeRows() > 0) {
            samples.add(List.of(s.number(2, 4), s.number(5, 4)));
            return samples;
        }
        Tensor a = op.transposeA() ? s.number(2, 4, 3) : s.number(2, 3, 4);
        samples.add(List.of(a, op.transposeB() ? s.number(2, 5, 4) : s.number(2, 4, 5)));
        if (!op.transposeA()) {
            samples.add(List.of(a, op.transposeB() ? s.number(5, 4) : s.number(4, 5)));
        }
        return samples;
    }

    /** For an input of four channels: 3×3 kernels, or 3×2 ones where there are groups. */
    private static Tensor kernels(SampleSource s, ConvGeometry geometry) {
        return s.number(4, 4 / geometry.groups(), 3, kernelW(geometry));
    }

    private static long kernelW(ConvGeometry geometry) {
        return geometry.groups() == 1 ? 3 : 2;
    }

    private static Tensor convolved(SampleSource s, ConvTranspose2d op) {
        Dim height = op.geometry().outputH(op.outputH(), Dim.of(3));
        Dim width = op.geometry().outputW(op.outputW(), Dim.of(kernelW(op.geometry())));
        return s.number(2, 4, height.value(), width.value());
    }

    private static Tensor convolvedBy(SampleSource s, Conv2dWeightGradient op) {
        Dim height = op.geometry().outputH(Dim.of(4), op.filterH());
        Dim width = op.geometry().outputW(Dim.of(5), op.filterW());
        return s.number(2, 4, height.value(), width.value());
    }

    private List<Tensor> normalized(SampleSource s, Normalize op, Tensor x) {
        List<Tensor> operands = new ArrayList<>(List.of(x));
        operands.addAll(results(new NormStatistics(op.axes(), op.centered()), x));
        // Parameters stay in f32 beside 16-bit activations; along the reduced axes of the first they do not repeat.
        boolean channels = op.axes().size() > 1;
        for (int i = 0; i < (op.scaled() ? 1 : 0) + (op.shifted() ? 1 : 0); i++) {
            operands.add(s.wide(channels ? s.number(1, 3, 1) : s.number(1, 3, 4)));
        }
        return operands;
    }

    /** Those of the other chunks, too. */
    private static Tensor moreTargets() {
        return Tensor.of(TensorType.of(DType.I64, 6), 2, 1, 0, 2, 1, -100);
    }

    private static Tensor targets() {
        return Tensor.of(TensorType.of(DType.I64, 4), 2, 1, 0, 2);
    }

    /** A repeated label, labels for fewer frames than there are, and none; too many where that counts 0. */
    private static List<Tensor> labelled(SampleSource s, CtcLoss op) {
        TensorType lengths = TensorType.of(DType.I32, 3);
        double[] targets = op.blank() == 0 ? new double[] {1, 1, 2, 3, -1, -1} : new double[] {1, 1, 0, 3, 3, 3};
        return List.of(
                s.number(5, 3, 4),
                Tensor.of(TensorType.of(DType.I32, 3, 2), targets),
                Tensor.of(lengths, 5, 3, op.zeroInfinity() ? 2 : 4),
                Tensor.of(lengths, 2, 2, op.zeroInfinity() ? 2 : 0));
    }

    /** Several blocks where only rows of a batch are drawn for. */
    private static Tensor dropped(SampleSource s, Op op) {
        long block = op.drawnRows().map(rows -> rows.block().value()).orElse(7L);
        return s.number(3, block);
    }

    private static Tensor seed(int ordinal) {
        return Tensor.of(TensorType.SEED, ordinal);
    }

    /** As many heads of keys as of queries; with a bias also fewer, and biases that repeat. */
    private static List<List<Tensor>> attentions(SampleSource s, Attention op) {
        if (!op.biased()) {
            return List.of(attention(s, op, 2, 2));
        }
        return List.of(
                with(attention(s, op, 2, 2), s.number(1, 2, 5, 6)),
                with(attention(s, op, 4, 2), s.wide(s.number(2, 1, 1, 6))),
                with(attention(s, op, 3, 1), s.number(1, 3, 5, 1)));
    }

    private static List<Tensor> attention(SampleSource s, Attention op, long heads, long keyHeads) {
        List<Tensor> operands = new ArrayList<>(
                List.of(s.number(2, heads, 5, 3), s.number(2, keyHeads, 6, 3), s.number(2, keyHeads, 6, 4)));
        if (op.masked()) {
            operands.add(s.bool(2, 1, 5, 6));
        }
        return operands;
    }

    private static List<Tensor> with(List<Tensor> operands, Tensor last) {
        return Stream.concat(operands.stream(), Stream.of(last)).toList();
    }

    private static List<List<Tensor>> attentionGradients(SampleSource s, Attention forward) {
        List<List<Tensor>> samples = new ArrayList<>();
        for (List<Tensor> inputs : attentions(s, forward)) {
            List<Tensor> results = results(forward, inputs.toArray(Tensor[]::new));
            List<Tensor> operands = new ArrayList<>();
            operands.add(s.number(results.getFirst().type().shape().toArray()));
            operands.addAll(inputs.subList(0, 3));
            operands.addAll(results);
            operands.addAll(inputs.subList(3, inputs.size()));
            samples.add(operands);
        }
        return samples;
    }

    private static List<Tensor> results(Op op, Tensor... operands) {
        return new ReferenceInterpreter(Rounding.TO_DTYPE, 0).apply(op, List.of(operands), 1);
    }
}
