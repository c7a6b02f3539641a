package dev.remat.runtime.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
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

    @Test
    void rowsAreAView() {
        StoredTensor rows = counting(List.of(6L, 2L), 12).rows(1, 4);
        assertThat(rows.shape()).containsExactly(3L, 2L);
        assertThat(rows.data().toArray(ValueLayout.JAVA_INT)).containsExactly(2, 3, 4, 5, 6, 7);
        assertThat(counting(List.of(5L), 5).rows(2, 4).data().toArray(ValueLayout.JAVA_INT))
                .containsExactly(2, 3);
    }

    @Test
    void rowsAndColumnsAreExchanged() {
        StoredTensor turned = counting(List.of(2L, 3L), 6).transposed();
        assertThat(turned.shape()).containsExactly(3L, 2L);
        assertThat(turned.data().toArray(ValueLayout.JAVA_INT)).containsExactly(0, 3, 1, 4, 2, 5);
    }

    /** Beyond one block each way, for every size of elements. */
    @Test
    void largeMatricesAreExchangedElementByElement() {
        for (StoredType type : List.of(StoredType.F64, StoredType.F32, StoredType.BF16, StoredType.U8)) {
            int rows = 70;
            int columns = 131;
            byte[] bytes = new byte[rows * columns * type.bytes()];
            new Random(5).nextBytes(bytes);
            StoredTensor tensor = new StoredTensor(
                    "x",
                    type,
                    List.of((long) rows, (long) columns),
                    MemorySegment.ofArray(bytes).asReadOnly());
            byte[] turned = tensor.transposed().data().toArray(ValueLayout.JAVA_BYTE);
            for (int i = 0; i < bytes.length; i++) {
                int element = i / type.bytes();
                int to = element % columns * rows + element / columns;
                assertThat(turned[to * type.bytes() + i % type.bytes()]).isEqualTo(bytes[i]);
            }
        }
    }

    @Test
    void joinedRowsStandInOrder() {
        StoredTensor all = counting(List.of(6L, 2L), 12);
        StoredTensor joined = StoredTensor.joined("y", List.of(all.rows(4, 6), all.rows(0, 1)));
        assertThat(joined.name()).isEqualTo("y");
        assertThat(joined.shape()).containsExactly(3L, 2L);
        assertThat(joined.data().toArray(ValueLayout.JAVA_INT)).containsExactly(8, 9, 10, 11, 0, 1);
    }
}
