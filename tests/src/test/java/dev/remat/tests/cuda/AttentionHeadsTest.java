package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.Op;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.StepSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Attention over heads of many sizes, split from rows without a copy, masked and causal, with tensor cores or not. */
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
        add(cases, DType.BF16, true, new long[] {1, 2, 130, 150, 64, 64}, true, new long[0]);
        add(cases, DType.F16, true, new long[] {1, 2, 70, 67, 33, 8}, false, new long[] {1, 2, 1, 67});
        add(cases, DType.BF16, true, new long[] {2, 1, 33, 65, 80, 128}, true, new long[] {1, 1, 33, 65});
        add(cases, DType.F16, true, new long[] {1, 1, 70, 40, 24, 200}, false, new long[0]);
        add(cases, DType.BF16, false, new long[] {1, 2, 70, 67, 16, 72}, true, new long[] {1, 1, 70, 67});
        add(cases, DType.F32, false, new long[] {2, 1, 65, 130, 33, 130}, true, new long[0]);
        add(cases, DType.F64, false, new long[] {1, 2, 40, 33, 35, 70}, false, new long[] {1, 2, 40, 1});
        return cases;
    }

    /** A forward and a backward step; extents are batch, heads, queries, keys, depth and width. */
    private static void add(
            List<Attended> cases, DType dtype, boolean tensor, long[] extents, boolean causal, long[] maskExtents) {
        boolean masked = maskExtents.length > 0;
        long b = extents[0];
        long h = extents[1];
        List<StepSample.Source> forward = new ArrayList<>(List.of(
                heads(dtype, b, h, extents[2], extents[4]),
                heads(dtype, b, h, extents[3], extents[4]),
                heads(dtype, b, h, extents[3], extents[5])));
        if (masked) {
            forward.add(StepSample.Source.dense(mask(maskExtents)));
        }
        Attention op = new Attention(0.3, causal, masked);
        add(cases, dtype, tensor, op, forward);
        List<Tensor> operands = forward.stream().map(StepSample.Source::tensor).toList();
        List<Tensor> results = REFERENCE.apply(op, operands, 0);
        List<StepSample.Source> backward = new ArrayList<>();
        backward.add(heads(dtype, b, h, extents[2], extents[5]));
        backward.addAll(forward.subList(0, 3));
        results.forEach(result -> backward.add(StepSample.Source.dense(result)));
        backward.addAll(forward.subList(3, forward.size()));
        add(cases, dtype, tensor, new AttentionGradient(0.3, causal, masked), backward);
    }

    private static void add(List<Attended> cases, DType dtype, boolean tensor, Op op, List<StepSample.Source> sources) {
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
                        .toList());
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

    /** Whether rows of four axes are too long for gradients on tensor cores. */
    private static boolean isWide(StridedView view) {
        return view.rank() == 4 && view.extents().getLast() > 128;
    }

    @ParameterizedTest
    @FieldSource("CASES")
    void agreesWithTheReference(Attended attended) {
        StepSample sample = attended.op.sample();
        boolean wide = sample.body().getFirst().op() instanceof AttentionGradient
                && sample.sources().stream().map(StepSample.Source::view).anyMatch(AttentionHeadsTest::isWide);
        assertThat(attended.step.program().kernels().getLast().symbol().contains("tensor"))
                .isEqualTo(attended.tensor && !wide);
        attended.op.check(attended.step.run(LIBRARY));
    }
}
