package dev.remat.runtime.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LargePagesTest {
    private static final long ALIGNMENT = 4096;

    @ParameterizedTest
    @ValueSource(longs = {16, (2 << 20) - 8, 2 << 20, (5 << 20) + 8})
    void memoryIsZeroAlignedAndGoneWithItsOwner(long bytes) {
        Arena owner = Arena.ofShared();
        MemorySegment memory = LargePages.allocate(owner, bytes, ALIGNMENT);
        assertThat(memory.byteSize()).isEqualTo(bytes);
        assertThat(memory.address() % ALIGNMENT).isZero();
        for (long at : new long[] {0, bytes - Long.BYTES}) {
            assertThat(memory.get(ValueLayout.JAVA_LONG, at)).isZero();
            memory.set(ValueLayout.JAVA_LONG, at, -1);
        }
        owner.close();
        assertThatThrownBy(() -> memory.get(ValueLayout.JAVA_LONG, 0)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 60, Long.MAX_VALUE >> 1})
    void moreThanThereIsIsAnError(long bytes) {
        try (Arena owner = Arena.ofShared()) {
            assertThatThrownBy(() -> LargePages.allocate(owner, bytes, ALIGNMENT))
                    .isInstanceOf(OutOfMemoryError.class);
        }
    }
}
