package dev.remat.ir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class AlignmentTest {
    @Test
    void goesUpToTheNextMultiple() {
        assertThat(Alignment.up(1, 256)).isEqualTo(256);
        assertThat(Alignment.up(257, 256)).isEqualTo(512);
    }

    @Test
    void leavesAMultipleAlone() {
        assertThat(Alignment.up(0, 64)).isZero();
        assertThat(Alignment.up(512, 256)).isEqualTo(512);
    }

    @Test
    void doesNotGoAround() {
        assertThatThrownBy(() -> Alignment.up(Long.MAX_VALUE, 64)).isInstanceOf(ArithmeticException.class);
    }
}
