package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Models with buffers, and models that are evaluated alone. */
class BufferTest {
    private static final String BODY = """
        remat 1
        model M {
          symbol B
          input x: f32[B, 3]
          buffer rows: i64[2]
          buffer scale: f32[3] = ones
          param w: f32[3] = zeros
          y = mean(((x * scale - w)[:, rows]) ** 2)
        """;

    @TempDir
    Path folder;

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private Path weights() throws IOException {
        Path file = folder.resolve("weights.safetensors");
        SafetensorsWriter.write(
                file,
                Map.of(),
                List.of(
                        tensor("w", List.of(3L), 1, 1, 1),
                        tensor("scale", List.of(3L), 1, 2, 4),
                        new StoredTensor(
                                "rows",
                                StoredType.I64,
                                List.of(2L),
                                Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, 2, 0))));
        return file;
    }

    private Path data() throws IOException {
        Path file = folder.resolve("data.safetensors");
        SafetensorsWriter.write(file, Map.of(), List.of(tensor("x", List.of(2L, 3L), 1, 5, 0.5f, 3, 7, 1)));
        return file;
    }

    private static StoredTensor tensor(String name, List<Long> shape, float... values) {
        return new StoredTensor(
                name, StoredType.F32, shape, Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, values));
    }

    @Test
    void aFileWithoutTrainIsEvaluatedAndExportedOnly() throws IOException {
        Path model = file("m.model", BODY + "output y\n}\n");
        CommandRun eval = CommandRun.of(
                "eval",
                model.toString(),
                "--init",
                weights().toString(),
                "--data",
                data().toString(),
                "--all",
                "--set",
                "B=2");
        // Columns 2 and 0 of x·(1, 2, 4) − 1 are (1, 0) and (3, 2).
        assertThat(eval.exitCode()).as(eval.toString()).isZero();
        assertThat(eval.out()).contains("y  3.5000").doesNotContain("loss");
        CommandRun plan = CommandRun.of("plan", model.toString(), "--set", "B=2");
        assertThat(plan.exitCode()).isEqualTo(3);
        assertThat(plan.err()).contains("E0402");
        Path exported = folder.resolve("out.safetensors");
        CommandRun export =
                CommandRun.of("export", model.toString(), "--init", weights().toString(), "-o", exported.toString());
        assertThat(export.exitCode()).as(export.toString()).isZero();
        try (SafetensorsFile written = SafetensorsFile.open(exported)) {
            assertThat(written.find("rows").orElseThrow().type()).isEqualTo(StoredType.I64);
            assertThat(written.find("rows").orElseThrow().data().toArray(ValueLayout.JAVA_LONG))
                    .containsExactly(2, 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"f32", "bf16"})
    void trainingReadsBuffersAndLeavesThemAlone(String precision) throws IOException {
        Path model = file(
                "m.model", BODY + "}\ntrain { minimize y; optimizer adam(lr = 0.5); precision " + precision + " }\n");
        Path run = folder.resolve("run");
        CommandRun train = CommandRun.of(
                "train",
                model.toString(),
                "--init",
                weights().toString(),
                "--data",
                data().toString(),
                "--set",
                "B=2",
                "--steps",
                "3",
                "--save",
                run.toString());
        assertThat(train.exitCode()).as(train.toString()).isZero();
        Path exported = folder.resolve("out.safetensors");
        assertThat(CommandRun.of("export", model.toString(), "--resume", run.toString(), "-o", exported.toString())
                        .exitCode())
                .isZero();
        try (SafetensorsFile written = SafetensorsFile.open(exported)) {
            assertThat(written.find("rows").orElseThrow().data().toArray(ValueLayout.JAVA_LONG))
                    .containsExactly(2, 0);
            assertThat(written.find("scale").orElseThrow().data().toArray(ValueLayout.JAVA_FLOAT))
                    .containsExactly(1, 2, 4);
            float[] w = written.find("w").orElseThrow().data().toArray(ValueLayout.JAVA_FLOAT);
            assertThat(w[1]).isEqualTo(1);
            assertThat(w[0]).isGreaterThan(1.5f);
            assertThat(w[2]).isGreaterThan(1.5f);
        }
    }
}
