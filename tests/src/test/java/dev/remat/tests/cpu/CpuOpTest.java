package dev.remat.tests.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.OpFamily;
import dev.remat.ir.op.Ops;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.View;
import dev.remat.tests.reference.OpSamples;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kernel of the CPU against the plain loops of the reference. */
class CpuOpTest {
    private static final ReferenceInterpreter REFERENCE = new ReferenceInterpreter(Rounding.TO_DTYPE, SingleStep.SEED);

    private static double tolerance(DType type) {
        return switch (type) {
            case F64 -> 1e-10;
            case F32 -> 3e-5;
            case F16 -> 4e-3;
            case BF16 -> 3e-2;
            case I32, I64, BOOL, SEED -> 0;
        };
    }

    private static void check(Op op, List<Tensor> operands, DType dtype, double scale) {
        List<Tensor> expected = REFERENCE.apply(op, operands, 3).stream()
                .filter(tensor -> tensor.type().dtype() != DType.SEED)
                .toList();
        List<Tensor> actual = SingleStep.run(op, operands, 3);
        assertThat(actual).hasSameSizeAs(expected);
        for (int r = 0; r < expected.size(); r++) {
            double[] want = expected.get(r).data();
            double[] got = actual.get(r).data();
            double bound = tolerance(dtype) * scale;
            for (int i = 0; i < want.length; i++) {
                boolean same = Double.compare(want[i], got[i]) == 0
                        || Math.abs(want[i] - got[i]) <= bound * (1 + Math.abs(want[i]));
                assertThat(same).as("%s%s on %s, result %d element %d: %s, not %s", op.mnemonic(), op.attributes(),
                        operands.stream().map(Tensor::type).toList(), r, i, got[i], want[i]).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = DType.class, names = {"F64", "F32", "BF16", "F16"})
    void agreesOnTheExamplesOfEveryOperation(DType dtype) {
        for (OpFamily family : Ops.ALL) {
            for (Op op : family.examples()) {
                if (op instanceof View || op instanceof StepSeed || op instanceof ResetSeed) {
                    continue;
                }
                for (List<Tensor> operands : new OpSamples(dtype).of(op)) {
                    check(op, operands, dtype, 1);
                }
            }
        }
    }

    private record Case(Op op, List<long[]> shapes) {
        @Override
        public String toString() {
            return op.mnemonic() + op.attributes() + " " + shapes.stream().map(Arrays::toString).toList();
        }
    }

    private static Case conv(ConvGeometry geometry, long[] x, long[] w) {
        return new Case(new Conv2d(geometry), List.of(x, w));
    }

    /** Shapes that fill several tiles and leave remainders. */
    static List<Case> larger() {
        return List.of(
                new Case(new MatMul(false, true), List.of(new long[] {3, 70, 65}, new long[] {130, 65})),
                new Case(new MatMul(true, false), List.of(new long[] {2100, 33}, new long[] {2100, 20})),
                conv(new ConvGeometry(1, 1, 1, 1, 1, 1, 1), new long[] {2, 7, 19, 21}, new long[] {6, 7, 3, 3}),
                conv(new ConvGeometry(2, 2, 3, 3, 1, 1, 1), new long[] {2, 3, 25, 21}, new long[] {10, 3, 7, 7}),
                conv(new ConvGeometry(1, 1, 1, 1, 1, 1, 12), new long[] {2, 12, 17, 20}, new long[] {12, 1, 3, 3}),
                conv(new ConvGeometry(2, 1, 0, 2, 1, 2, 2), new long[] {2, 6, 15, 12}, new long[] {4, 3, 3, 3}),
                conv(new ConvGeometry(1, 1, 0, 0, 1, 1, 1), new long[] {9, 20, 12, 11}, new long[] {12, 20, 1, 1}),
                conv(new ConvGeometry(2, 2, 0, 0, 1, 1, 1), new long[] {2, 16, 16, 16}, new long[] {24, 16, 1, 1}),
                conv(new ConvGeometry(1, 1, 1, 1, 1, 1, 1), new long[] {2, 20, 8, 8}, new long[] {20, 20, 3, 3}),
                conv(new ConvGeometry(1, 1, 1, 1, 1, 1, 1), new long[] {2, 8, 32, 32}, new long[] {8, 8, 3, 3}),
                new Case(new Reduce(Reduce.Kind.SUM, List.of(0)), List.of(new long[] {700, 90})),
                new Case(new Reduce(Reduce.Kind.MEAN, List.of(1)), List.of(new long[] {33, 1100, 2})),
                new Case(new Reduce(Reduce.Kind.SUM, List.of(0, 2, 3)), List.of(new long[] {6, 5, 30, 40})),
                new Case(new Reduce(Reduce.Kind.SUM, List.of(0, 1)), List.of(new long[] {300, 401})),
                new Case(new Reduce(Reduce.Kind.MAX, List.of(0, 2)), List.of(new long[] {9, 7, 1300})),
                new Case(new Reduce(Reduce.Kind.SUM, List.of(0)), List.of(new long[] {70, 2500})),
                new Case(new NormStatistics(List.of(0, 2, 3), true), List.of(new long[] {8, 6, 20, 19})),
                new Case(new NormStatistics(List.of(1), false), List.of(new long[] {37, 1500})),
                new Case(new Softmax(), List.of(new long[] {5, 2100})),
                new Case(new Attention(0.2, true, false),
                        List.of(new long[] {1, 2, 140, 12}, new long[] {1, 2, 140, 12}, new long[] {1, 2, 140, 10})),
                new Case(new Attention(0.2, false, false),
                        List.of(new long[] {1, 1, 70, 8}, new long[] {1, 1, 260, 8}, new long[] {1, 1, 260, 8})));
    }

    private static Tensor random(Random random, DType dtype, long... extents) {
        Tensor tensor = Tensor.zeros(TensorType.of(dtype, extents));
        for (int i = 0; i < tensor.data().length; i++) {
            tensor.data()[i] = random.nextInt(-128, 129) / 128.0;
        }
        return tensor;
    }

    @ParameterizedTest
    @MethodSource("larger")
    void agreesOnLargerShapes(Case sample) {
        Random random = new Random(3);
        for (DType dtype : List.of(DType.F32, DType.F64, DType.BF16)) {
            List<Tensor> operands = new ArrayList<>();
            sample.shapes.forEach(shape -> operands.add(random(random, dtype, shape)));
            double scale = Math.sqrt(operands.getFirst().data().length);
            check(sample.op, operands, dtype, dtype == DType.BF16 ? 1 : Math.min(scale, 10));
            if (sample.op instanceof Conv2d conv) {
                checkConvGradients(conv, operands, dtype, random);
            }
            if (sample.op instanceof Attention attention) {
                List<Tensor> forward = REFERENCE.apply(attention, operands, 3);
                List<Tensor> all = new ArrayList<>();
                Tensor output = forward.getFirst();
                all.add(random(random, dtype, output.type().shape().toArray()));
                all.addAll(operands);
                all.addAll(forward);
                check(new AttentionGradient(attention.scale(), attention.causal(), false), all, dtype, 3);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("larger")
    void bitsDoNotDependOnThreads(Case sample) {
        Random random = new Random(6);
        List<Tensor> operands = new ArrayList<>();
        sample.shapes.forEach(shape -> operands.add(random(random, DType.F32, shape)));
        List<Tensor> alone = SingleStep.run(sample.op, operands, 1);
        List<Tensor> together = SingleStep.run(sample.op, operands, 5);
        for (int r = 0; r < alone.size(); r++) {
            assertThat(together.get(r).data()).isEqualTo(alone.get(r).data());
        }
    }

    private static void checkConvGradients(Conv2d conv, List<Tensor> operands, DType dtype, Random random) {
        List<TensorType> types = operands.stream().map(Tensor::type).toList();
        Tensor dy = random(random, dtype, conv.infer(types).getFirst().shape().toArray());
        Tensor x = operands.get(0);
        Tensor w = operands.get(1);
        check(new ConvTranspose2d(conv.geometry(), x.type().dim(2), x.type().dim(3)), List.of(dy, w), dtype, 3);
        check(new Conv2dWeightGradient(conv.geometry(), w.type().dim(2), w.type().dim(3)), List.of(x, dy), dtype, 10);
    }

    static List<List<Integer>> normalizedAxes() {
        return List.of(List.of(0, 2, 3), List.of(3), List.of(1, 2, 3));
    }

    @ParameterizedTest
    @MethodSource("normalizedAxes")
    void normalizationGradientsAgreeForBatchesAndLayers(List<Integer> axes) {
        Random random = new Random(4);
        for (DType dtype : List.of(DType.F32, DType.F64, DType.BF16)) {
            Tensor x = random(random, dtype, 7, 6, 13, 90);
            List<Tensor> operands = new ArrayList<>(List.of(random(random, dtype, 7, 6, 13, 90), x));
            operands.addAll(REFERENCE.apply(new NormStatistics(axes, true), List.of(x), 3));
            long[] gamma = axes.contains(0) ? new long[] {1, 6, 1, 1} : new long[] {1, 1, 1, 90};
            operands.add(random(random, dtype.accumulator(), gamma));
            check(new NormalizeGradient(axes, 1e-5, true, true, true), operands, dtype, 30);
        }
    }

    @ParameterizedTest
    @EnumSource(value = DType.class, names = {"F64", "F32"})
    void crossEntropyAgreesOnManyClasses(DType dtype) {
        Random random = new Random(5);
        Tensor targets = Tensor.zeros(TensorType.of(DType.I32, 9));
        for (int i = 0; i < 9; i++) {
            targets.data()[i] = i == 4 ? -100 : random.nextInt(3000);
        }
        check(new CrossEntropy(0.1, -100), List.of(random(random, dtype, 9, 3000), targets), dtype, 1);
    }
}
