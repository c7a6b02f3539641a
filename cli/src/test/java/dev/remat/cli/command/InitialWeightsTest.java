package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code train --init} takes, refuses and says is missing. */
class InitialWeightsTest {
    private static final List<Long> SCALAR = List.of();

    @TempDir
    Path folder;

    private String model;
    private Path exported;
    private Path weights;

    @BeforeEach
    void export() throws IOException {
        model = TinyModels.normalizing(folder);
        exported = folder.resolve("exported.safetensors");
        weights = folder.resolve("weights.safetensors");
        String run = folder.resolve("run").toString();
        CommandRun trained = train("--save", run);
        assertThat(trained.exitCode()).as(trained.err()).isZero();
        CommandRun export = CommandRun.of("export", model, "--resume", run, "-o", exported.toString());
        assertThat(export.exitCode()).as(export.err()).isZero();
    }

    private CommandRun train(String... more) {
        List<String> words =
                new ArrayList<>(List.of("train", model, "--set", "B=4", "--data", "synthetic", "--steps", "1"));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    /** What was exported without some tensors and with others. */
    private CommandRun trainFrom(Set<String> left, StoredTensor... added) throws IOException {
        try (SafetensorsFile file = SafetensorsFile.open(exported)) {
            List<StoredTensor> tensors = Stream.concat(
                            file.tensors().stream().filter(tensor -> !left.contains(tensor.name())), Stream.of(added))
                    .toList();
            SafetensorsWriter.write(weights, Map.of(), tensors);
        }
        return train("--init", weights.toString());
    }

    private static StoredTensor zeros(String name, StoredType type, List<Long> shape) {
        long elements = shape.stream().reduce(1L, (a, b) -> a * b);
        MemorySegment data = Arena.ofAuto().allocate(elements * type.bytes(), 8);
        return new StoredTensor(name, type, shape, data);
    }

    @Test
    void anExportIsTakenAsItIs() {
        CommandRun run = train("--init", exported.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
    }

    @Test
    void tellsParametersAndStatisticsFromTheOptimizer() throws IOException {
        CommandRun run = trainFrom(Set.of("head.weight", "head.bias", "norm.running_var"));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err())
                .contains("weights.safetensors lacks 2 parameters (head.bias, head.weight) and 1 statistic"
                        + " (norm.running_var), kept at their initial values")
                .doesNotContain("optimizer");
    }

    @Test
    void tellsWhatAFileWithSomeOptimizerStateLacksOfIt() throws IOException {
        CommandRun run = trainFrom(Set.of(), zeros("optimizer.exp_avg.head.bias", StoredType.F32, List.of(5L)));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains("lacks 11 tensors of the optimizer (optimizer.exp_avg", " and 7 more)");
    }

    @Test
    void tellsAllShapesThatDifferAtOnce() throws IOException {
        CommandRun run = trainFrom(
                Set.of("head.weight", "stem.bias"),
                zeros("head.weight", StoredType.F32, List.of(7L, 2L)),
                zeros("stem.bias", StoredType.F32, List.of(9L)));
        assertThat(run.exitCode()).isEqualTo(8);
        assertThat(run.err())
                .contains("head.weight: F32[7, 2], the model needs f32[5, 2]")
                .contains("stem.bias: F32[9], the model needs f32[2]");
    }

    @Test
    void refusesWhatNothingTakes() throws IOException {
        CommandRun run = trainFrom(
                Set.of(),
                zeros("head.num_batches_tracked", StoredType.I64, SCALAR),
                zeros("neck.weight", StoredType.F32, SCALAR));
        assertThat(run.exitCode()).isEqualTo(8);
        assertThat(run.err())
                .contains("the file has tensors head.num_batches_tracked, neck.weight, which the model does not have");
    }
}
