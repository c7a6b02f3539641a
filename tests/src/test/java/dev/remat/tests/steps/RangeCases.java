package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.UnaryGradient;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.reference.TurnedImages;
import dev.remat.tests.steps.StepSample.Source;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Operands far from zero, where exponentials leave the numbers that there are unless something is subtracted first, and
 * sums of squares lose what they are about. All are multiples of a half below 128, or of 1/128 up to 1, which every
 * dtype has.
 */
public final class RangeCases {
    private static final ReferenceInterpreter REFERENCE = new ReferenceInterpreter(Rounding.TO_DTYPE, SingleStep.SEED);
    private static final ReferenceInterpreter EXACT = new ReferenceInterpreter(Rounding.NONE, SingleStep.SEED);

    private final DType dtype;
    private final Random random = new Random(23);

    private RangeCases(DType dtype) {
        this.dtype = dtype;
    }

    /** What kernels of every target are held to. */
    public static List<OpCase> all(DType dtype) {
        List<OpCase> cases = new ArrayList<>();
        for (Unary.Kind kind : List.of(Unary.Kind.EXP, Unary.Kind.EXPM1, Unary.Kind.TANH)) {
            cases.add(function(kind, dtype, 80));
        }
        for (Unary.Kind kind : List.of(Unary.Kind.EXP, Unary.Kind.SIGMOID, Unary.Kind.SOFTPLUS, Unary.Kind.SILU)) {
            cases.add(tail(kind, dtype, 80));
        }
        for (long length : new long[] {2, 96, 3000, 9000}) {
            cases.add(softmax(dtype, length, false));
            cases.add(softmax(dtype, length, true));
            cases.add(loss(dtype, length));
            cases.add(lossGradient(dtype, length));
        }
        cases.addAll(statistics(dtype));
        cases.addAll(attention(dtype));
        cases.add(manyPlaces(dtype));
        return cases;
    }

    /** What those of GPUs are held to besides: functions by the Gaussian's tail, and moments beside a product. */
    public static List<OpCase> ofGpus(DType dtype) {
        List<OpCase> cases = new ArrayList<>(List.of(tail(Unary.Kind.GELU, dtype, 12)));
        for (UnaryGradient.Kind kind : UnaryGradient.Kind.values()) {
            cases.add(gradient(kind, dtype));
        }
        if (dtype.bytes() == 2) {
            cases.add(columnMoments(dtype));
        }
        return cases;
    }

    /** A function from −{@code end} to {@code end}. */
    public static OpCase function(Unary.Kind kind, DType dtype, int end) {
        return OpCase.of(new Unary(kind), List.of(halves(dtype, -end, end)), dtype, 1);
    }

    /** Where a function is next to nothing, times powers of two that make it about 1. */
    public static OpCase tail(Unary.Kind kind, DType dtype, int end) {
        Tensor x = halves(dtype, -end, -2);
        Op function = new Unary(kind);
        Tensor sizes = EXACT.apply(function, List.of(x), SingleStep.NUMBER).getFirst();
        Tensor powers = Tensor.zeros(x.type());
        // Of f16 there are none so large, nor of its results so small.
        int most = dtype == DType.F16 ? 15 : 120;
        Arrays.setAll(powers.data(), i -> Math.scalb(1.0, Math.min(most, -Math.getExponent(sizes.data()[i]))));
        List<TensorType> types = List.of(x.type());
        StepSample step = new StepSample(
                List.of(
                        new Instruction(function, List.of(new Operand.FromMemory(0)), types),
                        new Instruction(
                                new Binary(Binary.Kind.MUL),
                                List.of(new Operand.FromInstruction(0, 0), new Operand.FromMemory(1)),
                                types)),
                List.of(Source.dense(x), Source.dense(powers)),
                List.of(new Operand.FromInstruction(1, 0)));
        return new OpCase(step, dtype, 1);
    }

    /** Of an upstream gradient so large that what is left of the slope far below zero shows. */
    public static OpCase gradient(UnaryGradient.Kind kind, DType dtype) {
        Tensor x = halves(dtype, -80, 80);
        Tensor dy = Tensor.filled(x.type(), dtype == DType.F16 ? 1024 : 1 << 20);
        return OpCase.of(new UnaryGradient(kind), List.of(dy, x), dtype, 1);
    }

    /** Rows about 120, about −120, rising by 60, falling, and rising from where there is nothing. */
    private Tensor rows(long length) {
        Tensor rows = Tensor.zeros(TensorType.of(dtype, 5, length));
        Arrays.setAll(rows.data(), i -> {
            long at = i % length;
            double rise = Math.rint(120.0 * at / Math.max(1, length - 1)) / 2;
            double noise = random.nextInt(-15, 16) / 2.0;
            return switch ((int) (i / length)) {
                case 0 -> 120 + noise;
                case 1 -> -120 + noise;
                case 2 -> rise;
                case 3 -> -rise;
                default -> at < length / 2 ? Double.NEGATIVE_INFINITY : rise;
            };
        });
        return rows;
    }

    public static OpCase softmax(DType dtype, long length, boolean logarithm) {
        return OpCase.of(new Softmax(logarithm), List.of(new RangeCases(dtype).rows(length)), dtype, 3);
    }

    /** Losses of rows, each about as large as can be. */
    public static OpCase loss(DType dtype, long classes) {
        return OpCase.of(
                new CrossEntropy(0, -100, true),
                List.of(new RangeCases(dtype).rows(classes), targets(classes)),
                dtype,
                1);
    }

    public static OpCase lossGradient(DType dtype, long classes) {
        Tensor logits = new RangeCases(dtype).rows(classes);
        Tensor lse = REFERENCE
                .apply(new CrossEntropy(0, -100, true), List.of(logits, targets(classes)), SingleStep.NUMBER)
                .getLast();
        Tensor upstream = Tensor.filled(TensorType.of(lse.type().dtype(), 5), 8);
        return OpCase.of(
                new CrossEntropyGradient(new CrossEntropy(0, -100, true)),
                List.of(upstream, logits, targets(classes), lse),
                dtype,
                3);
    }

    /** None of a class that cannot be. */
    private static Tensor targets(long classes) {
        return Tensor.of(TensorType.of(DType.I32, 5), 0, 1, classes - 2.0, classes - 1.0, classes - 1.0);
    }

    /** Of numbers about 100 that differ by a half, by rows that threads hold or not, planes and channels. */
    public static List<OpCase> statistics(DType dtype) {
        RangeCases made = new RangeCases(dtype);
        List<OpCase> cases = new ArrayList<>();
        cases.add(made.statistics(List.of(1), 9, 75));
        cases.add(made.statistics(List.of(1), 9, 776));
        cases.add(made.statistics(List.of(1), 5, 1500));
        cases.add(made.statistics(List.of(1), 3, 20_000));
        cases.add(made.statistics(List.of(0, 2, 3), 8, 6, 20, 19));
        cases.add(made.statistics(List.of(0, 1, 2), 8, 20, 19, 6));
        return cases;
    }

    private OpCase statistics(List<Integer> axes, long... extents) {
        return OpCase.of(new NormStatistics(axes, true), List.of(near100(extents)), dtype, 1);
    }

    private Tensor near100(long... extents) {
        Tensor x = Tensor.zeros(TensorType.of(dtype, extents));
        Arrays.setAll(x.data(), i -> 100 + random.nextInt(0, 2) / 2.0);
        return x;
    }

    /** Those that a convolution takes of its results, which are its images' channels in another order. */
    public static OpCase columnMoments(DType dtype) {
        RangeCases made = new RangeCases(dtype);
        int channels = 16;
        Tensor images = made.near100(2, 11, 13, channels);
        Tensor filters = Tensor.zeros(TensorType.of(dtype, channels, channels, 1, 1));
        for (int i = 0; i < channels; i++) {
            filters.data()[i * channels + (5 * i + 3) % channels] = 1;
        }
        Op op = TurnedImages.in(new Conv2d(new ConvGeometry(1, 1, 0, 0, 1, 1, 1), true), ImageLayout.NHWC)
                .orElseThrow();
        return OpCase.of(op, List.of(images, filters), dtype, 1);
    }

    /** Attention whose scores go up to 150, down to −150, and rise and fall from tile to tile. */
    public static List<OpCase> attention(DType dtype) {
        List<OpCase> cases = new ArrayList<>();
        for (boolean causal : new boolean[] {false, true}) {
            cases.add(attention(dtype, causal, false));
            cases.add(attention(dtype, causal, true));
        }
        return cases;
    }

    public static OpCase attention(DType dtype, boolean causal, boolean gradient) {
        RangeCases made = new RangeCases(dtype);
        Attention op = new Attention(1, causal, false);
        List<Tensor> operands =
                List.of(made.queries(150), made.keys(150), OpCases.random(made.random, dtype, 1, 2, 150, 64));
        if (!gradient) {
            return OpCase.of(op, operands, dtype, 3);
        }
        List<Tensor> all = new ArrayList<>(List.of(OpCases.random(made.random, dtype, 1, 2, 150, 64)));
        all.addAll(operands);
        all.addAll(REFERENCE.apply(op, operands, SingleStep.NUMBER));
        return OpCase.of(new AttentionGradient(op), all, dtype, 10);
    }

    /** The first column has ±12 or 2. */
    private Tensor queries(long count) {
        Tensor q = OpCases.random(random, dtype, 1, 2, count, 64);
        for (int row = 0; row < 2 * count; row++) {
            q.data()[row * 64] = new double[] {12, -12, 2}[row % 3];
        }
        return q;
    }

    /** The first column rises from 8 to 12.5. */
    private Tensor keys(long count) {
        Tensor k = OpCases.random(random, dtype, 1, 2, count, 64);
        for (int row = 0; row < 2 * count; row++) {
            k.data()[row * 64] = 8 + Math.rint(9.0 * (row % count) / count) / 2;
        }
        return k;
    }

    /** A gradient of 3,000 rows for as many places, the order of whose numbers takes two passes. */
    public static OpCase manyPlaces(DType dtype) {
        RangeCases made = new RangeCases(dtype);
        int count = 3000;
        Tensor places = Tensor.zeros(TensorType.of(DType.I32, count));
        Arrays.setAll(places.data(), _ -> made.random.nextInt(count));
        Tensor dy = OpCases.random(made.random, dtype, count, 8);
        return OpCase.of(new EmbeddingGradient(Dim.of(count)), List.of(dy, places), dtype, 3);
    }

    private static Tensor halves(DType dtype, int from, int to) {
        Tensor x = Tensor.zeros(TensorType.of(dtype, 2L * (to - from) + 1));
        Arrays.setAll(x.data(), i -> from + i / 2.0);
        return x;
    }
}
