package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.ChunkSquares;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.CtcLossGradient;
import dev.remat.ir.op.CumulativeSum;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.Message;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.OpFamily;
import dev.remat.ir.op.Ops;
import dev.remat.ir.op.OwnShare;
import dev.remat.ir.op.PoolWindow;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.Sort;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.SumOfChunks;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.View;
import dev.remat.tests.reference.OpSamples;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Operations and operands that every backend is held against. */
public final class OpCases {
    private static final ReferenceInterpreter REFERENCE = new ReferenceInterpreter(Rounding.TO_DTYPE, SingleStep.SEED);

    private OpCases() {}

    /** Small operands for every example of every operation that has a kernel. */
    public static List<OpCase> examples(DType dtype) {
        List<OpCase> cases = new ArrayList<>();
        for (OpFamily family : Ops.ALL) {
            for (Op example : family.examples()) {
                boolean real =
                        example instanceof Draw draw && draw.type().dtype().isFloat();
                Op op = real ? example.retype(any -> dtype) : example;
                boolean ofRanks = op instanceof Exchange
                        || op instanceof Message
                        || op instanceof OwnShare
                        || op instanceof ChunkSquares
                        || op instanceof SumOfChunks;
                if (op instanceof View || ofRanks || op instanceof StepSeed || op instanceof ResetSeed) {
                    continue;
                }
                new OpSamples(dtype).of(op).forEach(operands -> cases.add(OpCase.of(op, operands, dtype, 1)));
            }
        }
        return cases;
    }

    /** An operation and the shapes of its operands. */
    private record Shaped(Op op, List<long[]> shapes) {}

    private static Shaped conv(ConvGeometry geometry, long[] x, long[] w) {
        return new Shaped(new Conv2d(geometry), List.of(x, w));
    }

    /** Shapes that fill several tiles and leave remainders. */
    private static List<Shaped> shapes() {
        return List.of(
                new Shaped(new MatMul(false, true), List.of(new long[] {3, 70, 65}, new long[] {130, 65})),
                new Shaped(new MatMul(true, false), List.of(new long[] {2100, 33}, new long[] {2100, 20})),
                conv(new ConvGeometry(1, 1, 1, 1, 1, 1, 1), new long[] {2, 7, 19, 21}, new long[] {6, 7, 3, 3}),
                conv(new ConvGeometry(2, 2, 3, 3, 1, 1, 1), new long[] {2, 3, 25, 21}, new long[] {10, 3, 7, 7}),
                conv(new ConvGeometry(1, 1, 1, 1, 1, 1, 12), new long[] {2, 12, 17, 20}, new long[] {12, 1, 3, 3}),
                conv(new ConvGeometry(2, 1, 0, 2, 1, 2, 2), new long[] {2, 6, 15, 12}, new long[] {4, 3, 3, 3}),
                conv(new ConvGeometry(1, 1, 0, 0, 1, 1, 1), new long[] {9, 20, 12, 11}, new long[] {12, 20, 1, 1}),
                conv(new ConvGeometry(2, 2, 0, 0, 1, 1, 1), new long[] {2, 16, 16, 16}, new long[] {24, 16, 1, 1}),
                conv(new ConvGeometry(1, 1, 1, 1, 1, 1, 1), new long[] {2, 20, 8, 8}, new long[] {20, 20, 3, 3}),
                conv(new ConvGeometry(1, 1, 1, 1, 1, 1, 1), new long[] {2, 8, 32, 32}, new long[] {8, 8, 3, 3}),
                new Shaped(new Reduce(Reduce.Kind.SUM, List.of(0)), List.of(new long[] {700, 90})),
                new Shaped(new Reduce(Reduce.Kind.MEAN, List.of(1)), List.of(new long[] {33, 1100, 2})),
                new Shaped(new Reduce(Reduce.Kind.SUM, List.of(0, 2, 3)), List.of(new long[] {6, 5, 30, 40})),
                new Shaped(new Reduce(Reduce.Kind.SUM, List.of(0, 1)), List.of(new long[] {300, 401})),
                new Shaped(new Reduce(Reduce.Kind.MAX, List.of(0, 2)), List.of(new long[] {9, 7, 1300})),
                new Shaped(new Reduce(Reduce.Kind.SUM, List.of(0)), List.of(new long[] {70, 2500})),
                new Shaped(new NormStatistics(List.of(0, 2, 3), true), List.of(new long[] {8, 6, 20, 19})),
                new Shaped(new NormStatistics(List.of(1), false), List.of(new long[] {37, 1500})),
                new Shaped(new Reduce(Reduce.Kind.MIN, List.of(0, 2)), List.of(new long[] {9, 7, 1300})),
                new Shaped(new Reduce(Reduce.Kind.MIN, List.of(0)), List.of(new long[] {70, 2500})),
                new Shaped(new Reduce(Reduce.Kind.PROD, List.of(1)), List.of(new long[] {300, 5})),
                new Shaped(
                        new MaxPool2d(new PoolWindow(3, 2, 2, 1, 1, 1, 4, 3, false)),
                        List.of(new long[] {2, 3, 37, 41})),
                // Windows that lie in the padding.
                new Shaped(
                        new MaxPool2d(new PoolWindow(2, 2, 1, 1, 1, 1, 4, 4, false)), List.of(new long[] {2, 2, 3, 3})),
                new Shaped(new Sort(false), List.of(new long[] {3, 1500})),
                new Shaped(new Sort(true), List.of(new long[] {2, 1025})),
                new Shaped(new CumulativeSum(false), List.of(new long[] {3, 1500})),
                new Shaped(new CumulativeSum(true), List.of(new long[] {2, 257})),
                new Shaped(new Softmax(), List.of(new long[] {5, 2100})),
                new Shaped(
                        new Attention(0.2, true, false),
                        List.of(new long[] {1, 2, 140, 12}, new long[] {1, 2, 140, 12}, new long[] {1, 2, 140, 10})),
                new Shaped(
                        new Attention(0.2, false, false),
                        List.of(new long[] {1, 1, 70, 8}, new long[] {1, 1, 260, 8}, new long[] {1, 1, 260, 8})));
    }

    /** Multiples of 1/128 from −1 to 1. */
    static Tensor random(Random random, DType dtype, long... extents) {
        Tensor tensor = Tensor.zeros(TensorType.of(dtype, extents));
        for (int i = 0; i < tensor.data().length; i++) {
            tensor.data()[i] = random.nextInt(-128, 129) / 128.0;
        }
        return tensor;
    }

    /** Larger operands, and the gradients of convolutions and attention for them. */
    public static List<OpCase> larger(DType dtype) {
        Random random = new Random(3);
        List<OpCase> cases = new ArrayList<>();
        for (Shaped shaped : shapes()) {
            List<Tensor> operands = new ArrayList<>();
            shaped.shapes.forEach(shape -> operands.add(random(random, dtype, shape)));
            double scale = Math.sqrt(operands.getFirst().data().length);
            cases.add(OpCase.of(shaped.op, operands, dtype, dtype == DType.BF16 ? 1 : Math.min(scale, 10)));
            if (shaped.op instanceof Conv2d conv) {
                addGradients(conv, operands, dtype, random, cases);
            }
            if (shaped.op instanceof MaxPool2d pool) {
                TensorType y = pool.infer(List.of(operands.getFirst().type())).getFirst();
                Tensor dy = random(random, dtype, y.shape().toArray());
                Op gradient = new MaxPool2dGradient(pool.window());
                cases.add(OpCase.of(gradient, List.of(dy, operands.getFirst()), dtype, 3));
            }
            if (shaped.op instanceof Attention attention) {
                List<Tensor> forward = REFERENCE.apply(attention, operands, SingleStep.NUMBER);
                List<Tensor> all = new ArrayList<>();
                all.add(random(random, dtype, forward.getFirst().type().shape().toArray()));
                all.addAll(operands);
                all.addAll(forward);
                Op gradient = new AttentionGradient(attention);
                cases.add(OpCase.of(gradient, all, dtype, 3));
            }
        }
        return cases;
    }

    private static void addGradients(
            Conv2d conv, List<Tensor> operands, DType dtype, Random random, List<OpCase> cases) {
        List<TensorType> types = operands.stream().map(Tensor::type).toList();
        Tensor dy = random(random, dtype, conv.infer(types).getFirst().shape().toArray());
        Tensor x = operands.get(0);
        Tensor w = operands.get(1);
        Op transposed =
                new ConvTranspose2d(conv.geometry(), x.type().dim(2), x.type().dim(3));
        cases.add(OpCase.of(transposed, List.of(dy, w), dtype, 3));
        Op weight = new Conv2dWeightGradient(
                conv.geometry(), w.type().dim(2), w.type().dim(3));
        cases.add(OpCase.of(weight, List.of(x, dy), dtype, 10));
    }

    /** Shapes as models have them, multiples of what tensor cores take at once, in several tiles. */
    public static List<OpCase> aligned(DType dtype) {
        Random random = new Random(8);
        List<OpCase> cases = new ArrayList<>();
        for (boolean transposeA : new boolean[] {false, true}) {
            for (boolean transposeB : new boolean[] {false, true}) {
                long[] a = transposeA ? new long[] {160, 192} : new long[] {192, 160};
                long[] b = transposeB ? new long[] {320, 160} : new long[] {160, 320};
                cases.add(OpCase.of(
                        new MatMul(transposeA, transposeB),
                        List.of(random(random, dtype, a), random(random, dtype, b)),
                        dtype,
                        10));
            }
        }
        cases.add(OpCase.of(
                new MatMul(true, false),
                List.of(random(random, dtype, 2048, 64), random(random, dtype, 2048, 96)),
                dtype,
                10));
        ConvGeometry same = new ConvGeometry(1, 1, 1, 1, 1, 1, 1);
        List<Tensor> conv = List.of(random(random, dtype, 2, 32, 16, 16), random(random, dtype, 64, 32, 3, 3));
        cases.add(OpCase.of(new Conv2d(same), conv, dtype, 10));
        addGradients(new Conv2d(same), conv, dtype, random, cases);
        for (boolean causal : new boolean[] {false, true}) {
            Attention attention = new Attention(0.125, causal, false);
            List<Tensor> operands = List.of(
                    random(random, dtype, 1, 2, 128, 64),
                    random(random, dtype, 1, 2, 128, 64),
                    random(random, dtype, 1, 2, 128, 64));
            cases.add(OpCase.of(attention, operands, dtype, 3));
            List<Tensor> all = new ArrayList<>(List.of(random(random, dtype, 1, 2, 128, 64)));
            all.addAll(operands);
            all.addAll(REFERENCE.apply(attention, operands, SingleStep.NUMBER));
            cases.add(OpCase.of(new AttentionGradient(attention), all, dtype, 3));
        }
        return cases;
    }

    /** Gradients of batch, layer and group normalization. */
    public static List<OpCase> normalizations(DType dtype) {
        Random random = new Random(4);
        List<OpCase> cases = new ArrayList<>();
        for (List<Integer> axes : List.of(List.of(0, 2, 3), List.of(3), List.of(1, 2, 3))) {
            Tensor x = random(random, dtype, 7, 6, 13, 90);
            List<Tensor> operands = new ArrayList<>(List.of(random(random, dtype, 7, 6, 13, 90), x));
            operands.addAll(REFERENCE.apply(new NormStatistics(axes, true), List.of(x), SingleStep.NUMBER));
            long[] gamma = axes.contains(0) ? new long[] {1, 6, 1, 1} : new long[] {1, 1, 1, 90};
            operands.add(random(random, dtype.accumulator(), gamma));
            cases.add(OpCase.of(new NormalizeGradient(axes, 1e-5, true, true, true), operands, dtype, 30));
        }
        return cases;
    }

    /** More frames and labels than a block has threads, and samples that use few of them. */
    public static List<OpCase> labelled(DType dtype) {
        Random random = new Random(6);
        Tensor frames = random(random, dtype, 270, 3, 3);
        Tensor targets = Tensor.zeros(TensorType.of(DType.I64, 3, 140));
        Arrays.setAll(targets.data(), i -> 1 + random.nextInt(2));
        TensorType lengths = TensorType.of(DType.I64, 3);
        List<Tensor> operands =
                List.of(frames, targets, Tensor.of(lengths, 270, 60, 270), Tensor.of(lengths, 135, 17, 0));
        List<Tensor> all = new ArrayList<>(List.of(random(random, dtype.accumulator(), 3)));
        all.addAll(operands);
        return List.of(
                OpCase.of(new CtcLoss(0, false), operands, dtype, 10),
                OpCase.of(new CtcLossGradient(new CtcLoss(0, false)), all, dtype, 10));
    }

    /** Integers at the ends of their range, and numbers outside of a function's. */
    public static List<OpCase> edges() {
        Tensor dividends = Tensor.of(
                TensorType.of(DType.I32, 8),
                Integer.MIN_VALUE,
                Integer.MIN_VALUE + 1,
                Integer.MIN_VALUE,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE,
                Integer.MIN_VALUE,
                -7,
                6);
        Tensor divisors = Tensor.of(
                TensorType.of(DType.I32, 8), 3, 2, Integer.MAX_VALUE, -2, Integer.MIN_VALUE, Integer.MIN_VALUE, 2, -3);
        List<OpCase> cases = new ArrayList<>();
        for (Binary.Kind kind : List.of(Binary.Kind.FLOORDIV, Binary.Kind.REMAINDER, Binary.Kind.FMOD)) {
            cases.add(OpCase.of(new Binary(kind), List.of(dividends, divisors), DType.I32, 1));
        }
        for (DType dtype : List.of(DType.F32, DType.F64)) {
            Tensor numbers = Tensor.of(TensorType.of(dtype, 7), -1e20, -1e9, -1, 0.5, 1, 1.5, 1e12);
            cases.add(OpCase.of(new Unary(Unary.Kind.ACOSH), List.of(numbers), dtype, 1));
        }
        return cases;
    }

    /** A loss over thousands of classes, one target ignored. */
    public static OpCase manyClasses(DType dtype, boolean perRow) {
        Random random = new Random(5);
        Tensor targets = Tensor.zeros(TensorType.of(DType.I32, 9));
        for (int i = 0; i < 9; i++) {
            targets.data()[i] = i == 4 ? -100 : random.nextInt(3000);
        }
        return OpCase.of(
                new CrossEntropy(0.1, -100, perRow), List.of(random(random, dtype, 9, 3000), targets), dtype, 1);
    }
}
