package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** loss = mean((x · w)²) for x = (1, 2) and w = (3, -1): (9 + 4) / 2, gradient 2 · x² · w / 2 = (3, -4). */
class GradCommandTest {
    private static final String MODEL = """
        remat 1

        model Squares {
          input x: f32[2]

          param w: f32[2] = ones
          y = x * w
          loss = mean(y * y)
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    @TempDir
    Path folder;

    private String model;
    private Path inputs;
    private Path result;

    @BeforeEach
    void write() throws IOException {
        model = TinyModels.write(folder, "squares.model", MODEL);
        inputs = folder.resolve("inputs.safetensors");
        result = folder.resolve("result.safetensors");
    }

    private static StoredTensor floats(String name, float... values) {
        MemorySegment data = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, values);
        return new StoredTensor(name, StoredType.F32, List.of((long) values.length), data);
    }

    private static float[] read(SafetensorsFile file, String name) {
        return file.find(name).orElseThrow().data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
    }

    @Test
    void writesLossGradientsAndValuesAsked() throws IOException {
        SafetensorsWriter.write(inputs, Map.of(), List.of(floats("x", 1, 2), floats("w", 3, -1)));
        CommandRun run =
                CommandRun.of("grad", model, "--inputs", inputs.toString(), "--values", "y", "-o", result.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("loss 6.5\n");
        try (SafetensorsFile file = SafetensorsFile.open(result)) {
            assertThat(file.tensors()).extracting(StoredTensor::name).containsExactly("grad.w", "loss", "y");
            assertThat(read(file, "loss")).containsExactly(6.5f);
            assertThat(read(file, "grad.w")).containsExactly(3, -4);
            assertThat(read(file, "y")).containsExactly(3, -2);
        }
    }

    /** The gradient of w[0] is w[0] itself, which f32 cannot hold. */
    @Test
    void computesInThePrecisionAskedFor() throws IOException {
        double fine = 3 + 0x1p-30;
        MemorySegment w = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_DOUBLE, fine, -1);
        SafetensorsWriter.write(
                inputs, Map.of(), List.of(floats("x", 1, 2), new StoredTensor("w", StoredType.F64, List.of(2L), w)));
        String[] line = {"grad", model, "--inputs", inputs.toString(), "-o", result.toString()};
        assertThat(CommandRun.of(line).exitCode()).isZero();
        try (SafetensorsFile file = SafetensorsFile.open(result)) {
            assertThat(read(file, "grad.w")).containsExactly(3, -4);
        }
        String[] exact =
                Stream.concat(Stream.of(line), Stream.of("--precision", "f64")).toArray(String[]::new);
        assertThat(CommandRun.of(exact).exitCode()).isZero();
        try (SafetensorsFile file = SafetensorsFile.open(result)) {
            StoredTensor gradient = file.find("grad.w").orElseThrow();
            assertThat(gradient.type()).isEqualTo(StoredType.F64);
            assertThat(gradient.data().toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED))
                    .containsExactly(fine, -4);
        }
    }

    @Test
    void parametersStartAsUsualWhereTheyAreNotGiven() throws IOException {
        SafetensorsWriter.write(inputs, Map.of(), List.of(floats("x", 1, 2)));
        CommandRun run = CommandRun.of("grad", model, "--inputs", inputs.toString(), "--json");
        assertThat(run.out()).isEqualTo("{\"loss\":2.5}\n");
    }

    /** Which JSON has no number for. */
    @Test
    void aLossThatIsNoNumberIsNull() throws IOException {
        SafetensorsWriter.write(inputs, Map.of(), List.of(floats("x", Float.NaN, 2)));
        CommandRun run = CommandRun.of("grad", model, "--inputs", inputs.toString(), "--json");
        assertThat(run.out()).isEqualTo("{\"loss\":null}\n");
    }

    @Test
    void saysWhatIsMissingOrTooMuch() throws IOException {
        SafetensorsWriter.write(inputs, Map.of(), List.of(floats("w", 3, -1)));
        CommandRun missing = CommandRun.of("grad", model, "--inputs", inputs.toString());
        assertThat(missing.exitCode()).isEqualTo(8);
        assertThat(missing.err()).contains("lacks the input x: f32[2]");
        SafetensorsWriter.write(inputs, Map.of(), List.of(floats("x", 1, 2), floats("v", 3, -1)));
        CommandRun unknown = CommandRun.of("grad", model, "--inputs", inputs.toString());
        assertThat(unknown.exitCode()).isEqualTo(8);
        assertThat(unknown.err()).contains("tensor v");
        SafetensorsWriter.write(inputs, Map.of(), List.of(floats("x", 1, 2)));
        CommandRun value = CommandRun.of("grad", model, "--inputs", inputs.toString(), "--values", "z");
        assertThat(value.exitCode()).isEqualTo(3);
        assertThat(value.err()).contains("no value named 'z'");
    }

    @Test
    void aPlaceThatTakesNoGradientsIsRefusedBeforeAnythingIsRead() {
        Path homeless = folder.resolve("no/gradients.safetensors");
        CommandRun run = CommandRun.of(
                "grad",
                folder.resolve("none.model").toString(),
                "--inputs",
                inputs.toString(),
                "-o",
                homeless.toString());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("remat: " + folder.resolve("no") + ": no such file or directory\n");
        assertThat(folder.toFile().list()).containsExactly("squares.model");
    }

    /** A mean and a tensor without rows are the batch's; what has rows is told to be missing. */
    @ParameterizedTest
    @CsvSource({"1, 'loss,mean,rows,scaled,grad.w', ''", "2, 'loss,mean,scaled,grad.w', rows"})
    void tellsWhichOutputsMicroBatchesLeaveOut(int microBatches, String names, String omitted) throws IOException {
        String cut = TinyModels.write(folder, "cut.model", """
            remat 1

            model Cut {
              symbol B
              input x: f32[B]
              param w: f32[2] = ones
              rows = x * sum(w)
              scaled = w * 2
              mean = mean(rows)
              loss = mean(rows ** 2)
              output rows, scaled, mean
            }

            train {
              minimize loss
              optimizer sgd(lr = 0.1)
            }
            """);
        SafetensorsWriter.write(inputs, Map.of(), List.of(floats("x", 1, 2, 3, 4)));
        List<String> words = new ArrayList<>(List.of("grad", cut, "--set", "B=4", "--inputs", inputs.toString()));
        words.addAll(List.of("--micro-batches", String.valueOf(microBatches), "-o", result.toString()));
        CommandRun run = CommandRun.of(words.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        try (SafetensorsFile file = SafetensorsFile.open(result)) {
            assertThat(file.tensors().stream().map(StoredTensor::name)).containsExactlyInAnyOrder(names.split(","));
            assertThat(read(file, "mean")).containsExactly(5);
        }
        if (omitted.isEmpty()) {
            assertThat(run.err()).isEmpty();
        } else {
            assertThat(run.err()).contains("left out", "rows of the batch: rows; --micro-batches 1 gives them");
            words.addAll(List.of("--values", "rows"));
            CommandRun refused = CommandRun.of(words.toArray(String[]::new));
            assertThat(refused.exitCode()).isEqualTo(2);
            assertThat(refused.err()).contains("--values", "--micro-batches 1");
        }
    }
}
