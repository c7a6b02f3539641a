package dev.remat.codegen.cuda.target;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VerifiedFamiliesTest {
    @Test
    void namesStandInFront() {
        assertThat(VerifiedFamilies.names("# family  card\n\nreduce  NVIDIA H100, sm_90, driver for CUDA 13.0\ncopy\n"))
                .containsExactly("reduce", "copy");
    }

    @Test
    void whatIsNotVerifiedIsTakenOnlyWhereAllowed() {
        CodegenOptions bold = new CodegenOptions(true, false);
        assertThat(CodegenOptions.DEFAULT.allows("gemm_tensor")).isTrue();
        assertThat(CodegenOptions.DEFAULT.allows("no such family")).isFalse();
        assertThat(bold.allows("no such family")).isTrue();
    }

    @Test
    void whatIsNotListedIsNotVerified() {
        assertThat(VerifiedFamilies.contains("#")).isFalse();
        assertThat(VerifiedFamilies.contains("no such family")).isFalse();
    }
}
