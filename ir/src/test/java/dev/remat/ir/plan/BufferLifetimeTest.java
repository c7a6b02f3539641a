package dev.remat.ir.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class BufferLifetimeTest {
    @Test
    void lastsUpToNotIncludingItsUpperStep() {
        BufferLifetime early = new BufferLifetime("early", 0, 2, 5, 4);
        assertThat(early.overlaps(new BufferLifetime("next", 2, 3, 1, 1))).isFalse();
        assertThat(early.overlaps(new BufferLifetime("within", 1, 3, 1, 1))).isTrue();
        assertThat(early.alignedSize()).isEqualTo(8);
    }

    @Test
    void rejectsWhatIsNoBuffer() {
        assertThatThrownBy(() -> new BufferLifetime("b", 2, 2, 1, 1)).hasMessageContaining("no time");
        assertThatThrownBy(() -> new BufferLifetime("b", 0, 1, -1, 1)).hasMessageContaining("negative");
        assertThatThrownBy(() -> new BufferLifetime("b", 0, 1, 1, 3)).hasMessageContaining("power of two");
    }

    @Test
    void noLayoutIsLowerThanItsBound() {
        assertThatThrownBy(() -> new ArenaLayout(List.of(0L), 5, 6)).hasMessageContaining("cannot hold 6");
        assertThat(new ArenaLayout(List.of(0L), 12, 8).fragmentation()).isEqualTo(1.5);
        assertThat(new ArenaLayout(List.of(), 0, 0).fragmentation()).isEqualTo(1);
    }
}
