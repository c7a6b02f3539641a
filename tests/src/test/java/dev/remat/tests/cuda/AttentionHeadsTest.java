package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionBiasGradient;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.Op;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.AllCases;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.StepSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Attention over heads of many sizes, split from rows without a copy, shared, masked, biased and causal, with tensor
 * cores or not.
 */
@Tag("slow")
class AttentionHeadsTest {
    private static final Random RANDOM = new Random(13);
    private static final ReferenceInterpreter REFERENCE = new ReferenceInterpreter(Rounding.TO_DTYPE, 1);

    /** A step and whether tensor cores compute it. */
    record Attended(OpCase op, boolean tensor, ShimStep step) {
        @Override
        public String toString() {
            return (tensor ? "tensor " : "plain ") + op;
        }
    }

    static final List<Attended> CASES = cases();

    private static final ShimLibrary LIBRARY = ShimLibrary.of(
            CASES.stream()
                    .flatMap(attended -> attended.step().program().kernels().stream())
                    .toList(),
            4);

    private static List<Attended> cases() {
        List<Attended> cases = new ArrayList<>();
        long[] none = {};
        add(cases, DType.BF16, true, new long[] {1, 2, 2, 130, 150, 64, 64}, true, none, none);
        add(cases, DType.F16, true, new long[] {1, 2, 2, 70, 67, 33, 8}, false, new long[] {1, 2, 1, 67}, none);
        add(cases, DType.BF16, true, new long[] {2, 1, 1, 33, 65, 80, 128}, true, new long[] {1, 1, 33, 65}, none);
        add(cases, DType.F16, true, new long[] {1, 1, 1, 70, 40, 24, 200}, false, none, none);
        add(cases, DType.BF16, true, new long[] {1, 2, 2, 70, 67, 16, 72}, true, new long[] {1, 1, 70, 67}, none);
        add(cases, DType.F32, false, new long[] {2, 1, 1, 65, 130, 33, 130}, true, none, none);
        add(cases, DType.F64, false, new long[] {1, 2, 2, 40, 33, 35, 70}, false, new long[] {1, 2, 40, 1}, none);
        // Shared heads of keys and values.
        add(cases, DType.BF16, true, new long[] {2, 4, 2, 150, 77, 64, 64}, true, none, none);
        add(cases, DType.F16, true, new long[] {1, 3, 1, 70, 130, 3, 128}, false, new long[] {1, 3, 70, 130}, none);
        add(cases, DType.F32, false, new long[] {2, 6, 2, 70, 67, 3, 5}, true, none, none);
        add(cases, DType.F64, false, new long[] {2, 2, 1, 40, 33, 128, 64}, false, none, none);
        // As many keys as queries, so that gradients share rows, which packs of eight suit or not.
        add(cases, DType.BF16, true, new long[] {2, 2, 2, 130, 130, 64, 64}, true, none, none);
        add(cases, DType.F16, true, new long[] {2, 2, 1, 70, 70, 24, 12}, false, none, none);
        add(cases, DType.F32, false, new long[] {2, 4, 2, 70, 70, 5, 7}, true, none, none);
        // A bias as dense as the scores, one for all queries, one number a query, one for all heads.
        add(cases, DType.BF16, true, new long[] {2, 2, 2, 70, 67, 64, 64}, true, none, new long[] {1, 2, 70, 67});
        add(cases, DType.F16, true, new long[] {2, 4, 2, 65, 130, 24, 64}, false, none, new long[] {2, 1, 1, 130});
        add(cases, DType.F32, false, new long[] {3, 4, 1, 70, 67, 3, 64}, true, none, new long[] {1, 1, 70, 67});
        add(cases, DType.F32, false, new long[] {2, 2, 2, 70, 67, 8, 8}, false, none, new long[] {2, 2, 70, 1});
        add(cases, DType.F64, false, new long[] {2, 2, 1, 40, 33, 7, 9}, true, new long[] {1, 1, 40, 33}, new long[] {
            1, 1, 1, 33
        });
        add(cases, DType.F64, false, new long[] {1, 1, 1, 33, 32, 7, 9}, false, none, new long[] {1, 1, 1, 1});
        return cases;
    }

    /**
     * A forward step and the backward ones; extents are batch, heads, heads of keys, queries, keys, depth and width,
     * and those of a mask and a bias, where there are any.
     */
    private static void add(
            List<Attended> cases,
            DType dtype,
            boolean tensor,
            long[] extents,
            boolean causal,
            long[] maskExtents,
            long[] biasExtents) {
        boolean masked = maskExtents.length > 0;
        boolean biased = biasExtents.length > 0;
        long b = extents[0];
        long h = extents[1];
        List<StepSample.Source> forward = new ArrayList<>(List.of(
                heads(dtype, b, h, extents[3], extents[5]),
                heads(dtype, b, extents[2], extents[4], extents[5]),
                heads(dtype, b, extents[2], extents[4], extents[6])));
        if (masked) {
            forward.add(StepSample.Source.dense(mask(maskExtents)));
        }
        if (biased) {
            forward.add(StepSample.Source.dense(bias(dtype.accumulator(), biasExtents)));
        }
        Attention op = new Attention(0.3, causal, masked, biased);
        add(cases, dtype, tensor, op, forward);
        List<Tensor> operands = forward.stream().map(StepSample.Source::tensor).toList();
        List<Tensor> results = REFERENCE.apply(op, operands, 0);
        List<StepSample.Source> backward = new ArrayList<>();
        backward.add(heads(dtype, b, h, extents[3], extents[6]));
        backward.addAll(forward.subList(0, 3));
        results.forEach(result -> backward.add(StepSample.Source.dense(result)));
        backward.addAll(forward.subList(3, forward.size()));
        add(cases, dtype, tensor, new AttentionGradient(op), backward);
        if (biased) {
            add(cases, dtype, false, new AttentionBiasGradient(op), backward);
        }
    }

    /** With results where models read them; with dense ones, which {@link CudaOpTest} has, too, if asked for. */
    private static void add(List<Attended> cases, DType dtype, boolean tensor, Op op, List<StepSample.Source> sources) {
        List<TensorType> types =
                op.infer(sources.stream().map(source -> source.tensor().type()).toList());
        boolean alwaysDense = op instanceof AttentionBiasGradient;
        if (alwaysDense || AllCases.asked()) {
            add(cases, dtype, tensor, op, sources, dense(types));
        }
        if (!alwaysDense) {
            add(cases, dtype, tensor, op, sources, inRows(op, types));
        }
    }

    private static List<StepSample.Place> dense(List<TensorType> types) {
        List<StepSample.Place> places = new ArrayList<>();
        for (TensorType type : types) {
            places.add(new StepSample.Place(places.size(), type.elements(), StridedView.dense(type.shape())));
        }
        return places;
    }

    /**
     * All heads of a row side by side; those of several gradients too, where these have as many rows, in an order that
     * leaves rows without alignment. Columns of a gradient that stands alone lie apart.
     */
    private static List<StepSample.Place> inRows(Op op, List<TensorType> types) {
        List<StepSample.Place> places = new ArrayList<>(dense(types));
        if (op instanceof Attention) {
            TensorType type = types.getFirst();
            places.set(0, new StepSample.Place(0, type.elements(), rows(type, columns(type), 0)));
            return places;
        }
        long queries = types.get(0).dim(2).value();
        boolean joined = queries == types.get(1).dim(2).value();
        long width = types.stream().mapToLong(AttentionHeadsTest::columns).sum();
        long start = 0;
        for (int r = types.size() - 1; r >= 0; r--) {
            TensorType type = types.get(r);
            if (joined) {
                long elements = types.stream().mapToLong(TensorType::elements).sum();
                places.set(r, new StepSample.Place(0, elements, rows(type, width, start)));
                start += columns(type);
            } else if (r == 1) {
                TensorType turned = TensorType.of(
                        type.dtype(),
                        type.dim(0).value(),
                        type.dim(3).value(),
                        type.dim(1).value(),
                        type.dim(2).value());
                StridedView view = StridedView.dense(turned.shape()).transpose(List.of(0, 2, 3, 1));
                places.set(r, new StepSample.Place(r, type.elements(), view));
            } else {
                places.set(r, new StepSample.Place(r, type.elements(), rows(type, columns(type), 0)));
            }
        }
        return places;
    }

    /** Elements of all heads of a row. */
    private static long columns(TensorType heads) {
        return heads.dim(1).value() * heads.dim(3).value();
    }

    /** Heads inside of rows of {@code width} elements, from {@code start} on. */
    private static StridedView rows(TensorType heads, long width, long start) {
        long columns = heads.dim(3).value();
        List<Long> strides = List.of(heads.dim(2).value() * width, columns, width, 1L);
        return new StridedView(start, StridedView.dense(heads.shape()).extents(), strides);
    }

    private static void add(
            List<Attended> cases,
            DType dtype,
            boolean tensor,
            Op op,
            List<StepSample.Source> sources,
            List<StepSample.Place> places) {
        List<TensorType> types =
                op.infer(sources.stream().map(source -> source.tensor().type()).toList());
        List<Operand> operands = new ArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            operands.add(new Operand.FromMemory(i));
        }
        StepSample sample = new StepSample(
                List.of(new Instruction(op, operands, types)),
                sources,
                IntStream.range(0, types.size())
                        .mapToObj(i -> new Operand.FromInstruction(0, i))
                        .toList(),
                places);
        cases.add(new Attended(
                new OpCase(sample, dtype, 1),
                tensor,
                ShimStep.of(sample, Architecture.SM_80, new CodegenOptions(tensor, false))));
    }

    /** One operand inside of rows that hold all heads. */
    private static StepSample.Source heads(DType dtype, long batch, long heads, long rows, long columns) {
        Tensor buffer = Tensor.zeros(TensorType.of(dtype, batch, rows, heads, columns));
        for (int i = 0; i < buffer.data().length; i++) {
            buffer.data()[i] = RANDOM.nextInt(-64, 65) / 64.0;
        }
        return new StepSample.Source(
                buffer, StridedView.dense(buffer.type().shape()).transpose(List.of(0, 2, 1, 3)));
    }

    /** The first row, or the first key where all rows share one, is hidden from everything. */
    private static Tensor mask(long... extents) {
        Tensor mask = Tensor.zeros(TensorType.of(DType.BOOL, extents));
        for (int i = 0; i < mask.data().length; i++) {
            mask.data()[i] = i < (extents[2] == 1 ? 1 : extents[3]) || RANDOM.nextInt(5) == 0 ? 0 : 1;
        }
        return mask;
    }

    /** Hides the first key from the first row. */
    private static Tensor bias(DType dtype, long... extents) {
        Tensor bias = Tensor.zeros(TensorType.of(dtype, extents));
        for (int i = 0; i < bias.data().length; i++) {
            bias.data()[i] =
                    i == 0 && bias.data().length > 1 ? Double.NEGATIVE_INFINITY : RANDOM.nextInt(-64, 65) / 32.0;
        }
        return bias;
    }

    /** Whether rows are too long for gradients on tensor cores. */
    private static boolean isWide(StepSample.Source heads) {
        return heads.view().extents().getLast() > 128;
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void agreesWithTheReference(Attended attended) {
        StepSample sample = attended.op.sample();
        boolean wide = sample.body().getFirst().op() instanceof AttentionGradient
                && sample.sources().subList(0, 4).stream().anyMatch(AttentionHeadsTest::isWide);
        List<KernelSource> kernels = attended.step.program().kernels();
        assertThat(kernels.stream().anyMatch(kernel -> kernel.symbol().contains("tensor")))
                .isEqualTo(attended.tensor && !wide);
        attended.op.check(attended.step.run(LIBRARY));
    }
}
