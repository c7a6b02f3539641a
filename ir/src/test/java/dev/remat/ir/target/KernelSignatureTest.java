package dev.remat.ir.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.DrawnRows;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Unary;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelSignatureTest {
    private static KernelSignature dropout(double p, int ordinal) {
        return dropout(new Dropout(p, ordinal));
    }

    private static KernelSignature dropout(Op op) {
        TensorType type = TensorType.of(DType.BF16, 3);
        KernelStepBuilder step = Kernels.step();
        Operand one = step.add(new Constant(1, type), List.of(type), List.of());
        Operand.FromInstruction kept = step.add(
                op,
                List.of(type, TensorType.SEED),
                List.of(one, new Operand.FromSeed(op.drawnOrdinal().getAsInt())));
        return new KernelSignature(step.write(0, "y", 0, kept).body());
    }

    /** Files hold keys, so that another text for the same kernel would make old profiles useless. */
    @Test
    void aKeyIsAStableText() {
        assertThat(Kernels.product(8).key())
                .isEqualTo("matmul{transpose_a=false, transpose_b=false}"
                        + "(@0:f32[8, 4], @1:f32[4, 2]{1, 4}) -> f32[8, 2]; exp(%0) -> f32[8, 2]!");
        assertThat(dropout(0.5, 0).key()).isEqualTo("dropout{p=0.5}(literal, seed) -> bf16[3]!, seed[]");
        Op ofMicroBatch = new Dropout(0.5, 0).withDrawnRows(new DrawnRows(Dim.ONE, 4));
        assertThat(dropout(ofMicroBatch).key()).isEqualTo(dropout(0.5, 0).key());
        assertThat(dropout(ofMicroBatch.atPiece(3)).key())
                .isEqualTo(dropout(0.5, 0).key());
    }

    /** A kernel that writes through strides is another than one that writes row by row. */
    @Test
    void aKeyTellsWhereResultsLie() {
        TensorType type = TensorType.of(DType.F32, 2, 3);
        KernelStepBuilder step = Kernels.step();
        Operand x = step.read(MemoryRead.dense(0, 0, type));
        Operand.FromInstruction made = step.add(new Unary(Unary.Kind.EXP), List.of(type), List.of(x));
        StridedView turned = new StridedView(0, List.of(2L, 3L), List.of(1L, 2L));
        step.write(new MemoryWrite(1, "y", 256, type.bytes(), type, turned, made.instruction(), 0));
        assertThat(new KernelSignature(step.body()).key()).isEqualTo("exp(@0:f32[2, 3]) -> f32[2, 3]!{1, 2}");
    }

    /** An update's result has no buffer of its own. */
    @Test
    void aKeyTellsWhatIsUpdatedFromWhatIsStored() {
        TensorType type = TensorType.of(DType.F32, 3);
        KernelStepBuilder step = Kernels.step();
        Operand w = step.read(MemoryRead.dense(0, 0, type));
        Operand g = step.read(MemoryRead.dense(1, 256, type));
        Operand rate = step.read(MemoryRead.dense(2, 512, TensorType.scalar(DType.F32)));
        step.write(
                3,
                "w",
                0,
                step.add(
                        ElementwiseUpdate.of("sgd", 0, "[mul x2 g, sub p t0]", "[t1]"),
                        List.of(type),
                        List.of(w, g, rate)));
        assertThat(new KernelSignature(step.body()).key()).endsWith("(@0:f32[3], @1:f32[3], @2:f32[]) -> f32[3]");
    }

    @Test
    void aKeyForgetsWhichNumbersAreDrawnButNotHowMany() {
        assertThat(dropout(0.5, 7).key()).isEqualTo(dropout(0.5, 0).key());
        assertThat(dropout(0.4, 0).key()).isNotEqualTo(dropout(0.5, 0).key());
        assertThat(Kernels.product(9).key()).isNotEqualTo(Kernels.product(8).key());
    }

    @Test
    void theFamilyIsWhatIsNotElementwise() {
        assertThat(Kernels.product(8).family()).isEqualTo("matmul");
        assertThat(Kernels.negation(DType.F32, 8).family()).isEqualTo("elementwise");
        assertThat(dropout(0.5, 0).dtype()).isEqualTo(DType.BF16);
    }

    @Test
    void aKernelDoesSomething() {
        assertThatThrownBy(() -> new KernelSignature(Kernels.step().body()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
