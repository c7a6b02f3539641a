package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids, labels and indices that pick outside of what they pick from are faults of the data, told with their place. */
class StrayIndexTest {
    private static final String MODEL = """
        remat 1

        model Looks(ignore: int = -100, shift: int = 0) {
          input ids: i32[3]
          input labels: i64[3]
          input picks: i32[3, 2]

          x = embedding(ids + shift, 5, 4) as table
          y = gather(x, picks, 1)
          loss = cross_entropy(x, labels, ignore_index = ignore) + mean(y)
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

    @BeforeEach
    void write() throws IOException {
        model = TinyModels.write(folder, "looks.model", MODEL);
        inputs = folder.resolve("inputs.safetensors");
    }

    private void inputs(long id, long label, long pick) throws IOException {
        SafetensorsWriter.write(
                inputs,
                Map.of(),
                List.of(
                        integers("ids", StoredType.I32, List.of(3L), 0, 4, id),
                        integers("labels", StoredType.I64, List.of(3L), 0, label, 3),
                        integers("picks", StoredType.I32, List.of(3L, 2L), 0, 1, 2, 3, pick, 0)));
    }

    private static StoredTensor integers(String name, StoredType type, List<Long> shape, long... values) {
        MemorySegment data = type == StoredType.I64
                ? Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, values)
                : Arena.ofAuto()
                        .allocateFrom(
                                ValueLayout.JAVA_INT,
                                Arrays.stream(values).mapToInt(v -> (int) v).toArray());
        return new StoredTensor(name, type, shape, data);
    }

    private CommandRun grad(String... settings) {
        return settings.length == 0
                ? CommandRun.of("grad", model, "--inputs", inputs.toString())
                : CommandRun.of("grad", model, "--inputs", inputs.toString(), "--set", String.join(",", settings));
    }

    @Test
    void indicesInRangeAreTaken() throws IOException {
        inputs(0, -100, 3);
        assertThat(grad().exitCode()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "5, 0, 0, 8, embedding 'x', 5 at position 2 of 'add', 0 to 4",
        "-1, 0, 0, 8, embedding 'x', -1 at position 2 of 'add', 0 to 4",
        "0, 4, 0, 10, cross_entropy, 4 at position 1 of 'labels', '0 to 3, or -100 for what does not count'",
        "0, -1, 0, 10, cross_entropy, -1 at position 1 of 'labels', '0 to 3, or -100 for what does not count'",
        "0, 9000000000, 0, 10, cross_entropy, 9000000000 at position 1, 0 to 3",
        "0, 0, 4, 9, gather 'y', 4 at position 4 of 'picks', 0 to 3",
        "0, 0, -2147483648, 9, gather 'y', -2147483648 at position 4 of 'picks', 0 to 3"
    })
    void othersAreRefused(long id, long label, long pick, int line, String who, String what, String range)
            throws IOException {
        inputs(id, label, pick);
        CommandRun run = grad();
        assertThat(run.exitCode()).as(run.err()).isEqualTo(8);
        assertThat(run.err())
                .contains("looks.model:" + line + ":", who, what, range)
                .doesNotContain("Exception", "bug");
    }

    @Test
    void anIndexThatTheModelComputesIsRefusedToo() throws IOException {
        inputs(0, 0, 0);
        CommandRun run = grad("shift=1");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(8);
        assertThat(run.err()).contains("looks.model:8:", "5 at position 1", "0 to 4");
    }

    @ParameterizedTest
    @CsvSource({
        "3, 2, ''",
        "4, 2, 4 at position 1 of 'frames'; it takes 0 to 3",
        "-1, 2, -1 at position 1 of 'frames'; it takes 0 to 3",
        "3, 3, 3 at position 1 of 'lengths'; it takes 0 to 2",
        "3, 1, 7 at position 2 of 'labels'; it takes 0 to 3"
    })
    void whateverStandsBehindTheLabelsDoesNotCount(int frames, int length, String what) throws IOException {
        model = TinyModels.write(folder, "spelled.model", """
            remat 1

            model Spelled {
              input labels: i32[2, 2]
              input frames: i32[2]
              input lengths: i32[2]
              param x: f32[3, 2, 4] = normal(std = 1)
              loss = ctc_loss(log_softmax(x), labels, frames, lengths)
            }

            train {
              minimize loss
              optimizer sgd(lr = 0.1)
            }
            """);
        SafetensorsWriter.write(
                inputs,
                Map.of(),
                List.of(
                        integers("labels", StoredType.I32, List.of(2L, 2L), 1, -1, length == 1 ? 7 : 2, 3),
                        integers("frames", StoredType.I32, List.of(2L), 3, frames),
                        integers("lengths", StoredType.I32, List.of(2L), 1, length)));
        CommandRun run = grad();
        assertThat(run.exitCode()).as(run.err()).isEqualTo(what.isEmpty() ? 0 : 8);
        assertThat(run.err()).contains(what);
    }

    @Test
    void trainingTakesIgnoredLabelsAndNoOthers() throws IOException {
        Path data = folder.resolve("data.safetensors");
        SafetensorsWriter.write(
                data,
                Map.of(),
                List.of(
                        integers("ids", StoredType.I32, List.of(3L), 0, 4, 2),
                        integers("labels", StoredType.I64, List.of(3L), -100, 1, 3),
                        integers("picks", StoredType.I32, List.of(3L, 2L), 0, 1, 2, 3, 3, 0)));
        String[] line = {"train", model, "--data", data.toString(), "--steps", "2"};
        CommandRun run = CommandRun.of(line);
        assertThat(run.exitCode()).as(run.err()).isZero();
        String[] other = Arrays.copyOf(line, line.length + 2);
        other[line.length] = "--set";
        other[line.length + 1] = "ignore=-1";
        CommandRun refused = CommandRun.of(other);
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err()).contains("-100 for labels, which must be from 0 to below 4, or -1 for what");
    }

    /** Slices are copied or not as the planner likes; the second table is looked up in a copy of a copy. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void columnsMayIndexTablesOfDifferentSizes(int microBatches) throws IOException {
        model = TinyModels.write(folder, "tables.model", """
            remat 1

            model Tables {
              symbol B
              input ids: i32[B, 2]
              input y: f32[B, 2]
              small = embedding(slice(ids, 0, 1, axis = 1), 3, 2) as small
              large = embedding(slice(transpose(ids, 0, 1), 1, 2, axis = 0), 9, 2) as large
              loss = mse(reshape(small, [B, 2]) + reshape(large, [B, 2]), y)
            }

            train {
              minimize loss
              optimizer sgd(lr = 0.1)
            }
            """);
        Path data = folder.resolve("data.safetensors");
        String[] line = {
            "train",
            model,
            "--set",
            "B=2",
            "--data",
            data.toString(),
            "--steps",
            "2",
            "--micro-batches",
            String.valueOf(microBatches)
        };
        StoredTensor y = new StoredTensor(
                "y", StoredType.F32, List.of(2L, 2L), Arena.ofAuto().allocate(16));
        SafetensorsWriter.write(
                data, Map.of(), List.of(integers("ids", StoredType.I32, List.of(2L, 2L), 0, 8, 2, 5), y));
        CommandRun run = CommandRun.of(line);
        assertThat(run.exitCode()).as(run.err()).isZero();
        SafetensorsWriter.write(
                data, Map.of(), List.of(integers("ids", StoredType.I32, List.of(2L, 2L), 8, 0, 2, 5), y));
        CommandRun refused = CommandRun.of(line);
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err()).contains("the data has 8 for ids[:, 0], which must be from 0 to below 3");
    }
}
