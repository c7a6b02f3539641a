package dev.remat.codegen.cuda.target;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaTarget;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    @Test
    void everyLabelNamesItsArchitecture() {
        for (Architecture architecture : Architecture.values()) {
            assertThat(Architecture.ofLabel(architecture.label())).contains(architecture);
            assertThat(new CudaTarget(architecture).name()).isEqualTo(architecture.label());
        }
    }

    @Test
    void anUnknownLabelNamesNone() {
        assertThat(Architecture.ofLabel("sm_12")).isEmpty();
    }
}
