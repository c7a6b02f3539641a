package dev.remat.runtime.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredTensorTest {
    private static StoredTensor counting(List<Long> shape, int elements) {
        int[] values = new int[elements];
        for (int i = 0; i < elements; i++) {
            values[i] = i;
        }
        return new StoredTensor(
                "x", StoredType.I32, shape, MemorySegment.ofArray(values).asReadOnly());
    }

    @Test
    void partsAreRowsInOrder() {
        StoredTensor part = counting(List.of(6L, 2L), 12).part(1, 3);
        assertThat(part.shape()).containsExactly(2L, 2L);
        assertThat(part.data().toArray(ValueLayout.JAVA_INT)).containsExactly(4, 5, 6, 7);
    }

    @Test
    void onePartIsAllOfItEvenWithoutRows() {
        assertThat(counting(List.of(), 1).part(0, 1).data().toArray(ValueLayout.JAVA_INT))
                .containsExactly(0);
    }

    @Test
    void rowsThatAreNotSharedEvenly() {
        assertThatThrownBy(() -> counting(List.of(5L, 2L), 10).part(0, 2))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("x: I32[5, 2]")
                .hasMessageContaining("2 parts");
    }
}
