package dev.remat.runtime.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepsTableTest {
    @TempDir
    Path folder;

    private StepsTable read(String text) throws IOException {
        Files.writeString(folder.resolve("steps.csv"), text);
        return StepsTable.read(folder);
    }

    @Test
    void valuesAreReadBackAsTheyWereLogged() throws IOException {
        try (RunLog log = RunLog.open(folder, RunFolder.Existing.KEEP, "test")) {
            log.append(3, values("loss", 0.1, "millis", 12.25));
            log.append(4, values("loss", Double.NaN, "eval/loss", 1e-300));
            log.append(7, values("loss", Double.NEGATIVE_INFINITY, "memory", 1L << 40));
        }
        StepsTable table = StepsTable.read(folder);
        assertThat(table.steps()).containsExactly(3L, 4L, 7L);
        assertThat(table.isTorn()).isFalse();
        assertThat(table.columns())
                .extracting(StepsTable.Column::name)
                .containsExactly("loss", "millis", "eval/loss", "memory");
        assertThat(table.column("loss").orElseThrow().values())
                .containsExactly(0.1, Double.NaN, Double.NEGATIVE_INFINITY);
        assertThat(table.column("eval/loss").orElseThrow().rows()).containsExactly(1);
        assertThat(table.column("eval/loss").orElseThrow().values()).containsExactly(1e-300);
        assertThat(table.column("memory").orElseThrow().values()).containsExactly(0x1p40);
        assertThat(table.column("rate")).isEmpty();
    }

    private static SequencedMap<String, Number> values(Object... namesAndValues) {
        SequencedMap<String, Number> values = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put((String) namesAndValues[i], (Number) namesAndValues[i + 1]);
        }
        return values;
    }

    @Test
    void aRowWithoutAnEndWasBeingWritten() throws IOException {
        StepsTable killed = read("step,loss\n1,2.5\n2,0.12");
        assertThat(killed.steps()).containsExactly(1L);
        assertThat(killed.isTorn()).isTrue();
        assertThat(read("step,loss\n1,2.5\r\n").isTorn()).isFalse();
        assertThat(read("step,loss\n").steps()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "step,loss;1,2;2|line 3 has 1 fields, and the header 2",
                "step,loss;1,2;2,3,4|line 3 has 3 fields",
                "step,loss;1,2;1,3|line 3 is step 1, behind step 1",
                "step,loss;1,2;x,3|line 3 begins with 'x', which is no number of a step",
                "step,loss;1,2;-2,3|begins with '-2'",
                "step,loss;1,2.5.1|line 2 has '2.5.1' in the column loss, which is no number",
                "step,loss;1,0x1p3|has '0x1p3' in the column loss",
                "step,loss;1,nan|has 'nan' in the column loss",
                "step,loss,loss;1,2,3|line 1 names two columns 'loss'",
                "step,,loss;1,2,3|line 1 names a column with nothing",
                "loss,step;1,2|line 1 is no header of a log",
                "steps;1|line 1 is no header of a log"
            })
    void whatIsDamagedIsNamedWithItsLine(String lines, String problem) {
        assertThatThrownBy(() -> read(lines.replace(';', '\n') + "\n"))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageStartingWith(folder.resolve("steps.csv") + ": ")
                .hasMessageContaining(problem);
    }

    @Test
    void whatIsNoLogIsToldApart() throws IOException {
        assertThatThrownBy(() -> StepsTable.read(folder.resolve("none"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> StepsTable.read(folder))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("holds no steps.csv");
        assertThatThrownBy(() -> read("")).isInstanceOf(CorruptFileException.class);
        Files.write(folder.resolve("steps.csv"), "step,l\u00f6ss\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> StepsTable.read(folder))
                .isInstanceOf(CorruptFileException.class)
                .hasMessageContaining("is no UTF-8 text");
        assertThat(read("step,l\u00f6ss\n1,2\n").columns().getFirst().values()).isEqualTo(List.of(2.0));
    }
}
