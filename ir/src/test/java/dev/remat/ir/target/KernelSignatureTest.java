package dev.remat.ir.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.target.KernelSignature.Literal;
import dev.remat.ir.target.KernelSignature.Operation;
import dev.remat.ir.target.KernelSignature.Result;
import dev.remat.ir.target.KernelSignature.Seed;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelSignatureTest {
    private static KernelSignature dropout(double p, int ordinal) {
        TensorType type = TensorType.of(DType.BF16, 3);
        return new KernelSignature(List.of(new Operation(
                new Dropout(p, ordinal),
                List.of(new Literal(), new Seed()),
                List.of(new Result(type, true), new Result(TensorType.SEED, false)))));
    }

    /** Files hold keys, so that another text for the same kernel would make old profiles useless. */
    @Test
    void aKeyIsAStableText() {
        assertThat(Kernels.product(8).key())
                .isEqualTo("matmul{transpose_a=false, transpose_b=false}"
                        + "(@0:f32[8, 4], @1:f32[4, 2]{1, 4}) -> f32[8, 2]; exp(%0) -> f32[8, 2]!");
        assertThat(dropout(0.5, 0).key()).isEqualTo("dropout{p=0.5}(literal, seed) -> bf16[3]!, seed[]");
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
        assertThatThrownBy(() -> new KernelSignature(List.of())).isInstanceOf(IllegalArgumentException.class);
    }
}
