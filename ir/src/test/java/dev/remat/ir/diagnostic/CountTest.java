package dev.remat.ir.diagnostic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountTest {
    @Test
    void onlyOneIsSingular() {
        assertThat(Count.of(0, "kernel")).isEqualTo("0 kernels");
        assertThat(Count.of(1, "kernel")).isEqualTo("1 kernel");
        assertThat(Count.of(2, "kernel")).isEqualTo("2 kernels");
        assertThat(Count.bytes(1)).isEqualTo("1 byte");
        assertThat(Count.bytes(1L << 40)).isEqualTo("1099511627776 bytes");
    }
}
