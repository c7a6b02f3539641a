package dev.remat.runtime.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import dev.remat.runtime.io.Dataset.Share;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvDatasetTest {
    private static final InputSpec X = new InputSpec("x", DType.F32, List.of(2L, 2L));
    private static final InputSpec LABEL = new InputSpec("label", DType.I32, List.of(2L), IndexRange.below(3));

    @TempDir
    Path folder;

    private CsvDataset csv(String text) throws IOException {
        return CsvDataset.open(Files.writeString(folder.resolve("d.csv"), text));
    }

    private void refuses(String text, String message) throws IOException {
        try (CsvDataset data = csv(text)) {
            assertThatThrownBy(() -> data.samples(List.of(X, LABEL), Share.ALL))
                    .isInstanceOfAny(CorruptFileException.class, DataException.class)
                    .hasMessageContaining(message);
        }
    }

    @Test
    void readsColumnsByTheirNames() throws IOException {
        try (CsvDataset data =
                csv("\ufeffx.1,name,label,\"x.0\"\r\n1.5,\"a, \"\"b\"\"\",2, -3e1 \r\n.25,c,\"0\",4\r\n")) {
            Samples samples = data.samples(List.of(X, LABEL), Share.ALL);
            assertThat(samples.count()).isEqualTo(2);
            MemorySegment floats = Arena.ofAuto().allocate(16, 4);
            MemorySegment labels = Arena.ofAuto().allocate(8, 4);
            BatchSource batch = Batches.from(0, List.of(X, LABEL), samples);
            batch.fill(0, X, floats);
            batch.fill(0, LABEL, labels);
            assertThat(floats.toArray(ValueLayout.JAVA_FLOAT)).containsExactly(-30, 1.5f, 4, 0.25f);
            assertThat(labels.toArray(ValueLayout.JAVA_INT)).containsExactly(2, 0);
            assertThat(data.unread(List.of(X, LABEL))).containsExactly("name");
        }
    }

    @Test
    void holdsBackTheLastTenth() throws IOException {
        try (CsvDataset data = csv("label\n" + "1\n".repeat(18) + "2\n2")) {
            MemorySegment labels = Arena.ofAuto().allocate(8, 4);
            data.evaluation(List.of(LABEL)).fill(0, LABEL, labels);
            assertThat(labels.toArray(ValueLayout.JAVA_INT)).containsExactly(2, 2);
            for (long step = 0; step < 9; step++) {
                data.training(List.of(LABEL), 1).fill(step, LABEL, labels);
                assertThat(labels.toArray(ValueLayout.JAVA_INT)).containsExactly(1, 1);
            }
        }
    }

    @Test
    void namesTheLineOfAMistake() throws IOException {
        refuses("x.0,x.1,label\n1,2,0\n1,,0\n", "line 3: the column x.1 is empty");
        refuses("x.0,x.1,label\n1,nan,0\n", "line 2: the column x.1 has 'nan', which is no number");
        refuses("x.0,x.1,label\n1,2,0.5\n", "line 2: the column label has '0.5', which is no integer");
        refuses("x.0,x.1,label\n1,2,3000000000\n", "too large for i32");
        refuses("x.0,x.1,label\n1,2\n", "line 2: 2 fields, the header has 3");
        refuses("x.0,x.1,label\n1,2,\"0\n", "line 2: a quote is not closed");
        refuses("x.0,x.1,label\n1,2,\"0\"1\n", "line 2: a quoted field goes on");
        refuses("x.0,label\n1,0\n", "no column x.1");
        refuses("x.0,x.1,label\n", "has no rows");
        assertThatThrownBy(() -> csv("a,a\n1,2\n")).hasMessageContaining("line 1: the column 'a'");
        try (CsvDataset data = csv("label\n3\n")) {
            Samples samples = data.samples(List.of(LABEL), Share.ALL);
            assertThatThrownBy(() -> new Batches(List.of(LABEL), samples, position -> 0)
                            .fill(0, LABEL, Arena.ofAuto().allocate(8, 4)))
                    .hasMessageContaining("must be from 0 to below 3");
        }
    }
}
