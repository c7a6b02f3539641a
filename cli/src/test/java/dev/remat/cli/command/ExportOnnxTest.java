package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code export --format onnx} refuses, and that it writes nothing then. */
class ExportOnnxTest {
    private static final String NOISY = """
        remat 1

        model Noisy {
          symbol B
          input x: f32[B, 4]

          noise = randn([B, 4])
          y = linear(x + noise, 4) as out
          output y
        }
        """;

    private static final String LOOP = """
        remat 1

        model Loop {
          symbol B, T
          input x: f32[B, T, 2]

          h = zeros([B, 2])
          for t in range(T) {
            h = tanh(linear(x[:, t], 2) as step + h)
          }
          output h
          loss = mean(h)
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    @TempDir
    Path folder;

    private String model;
    private String weights;
    private Path result;

    @BeforeEach
    void export() throws IOException {
        model = TinyModels.text(folder);
        weights = folder.resolve("weights.safetensors").toString();
        result = folder.resolve("model.onnx");
        String run = folder.resolve("run").toString();
        CommandRun trained =
                CommandRun.of("train", model, "--set", "B=2,T=4", "--data", "synthetic", "--steps", "1", "--save", run);
        assertThat(trained.exitCode()).as(trained.err()).isZero();
        CommandRun exported = CommandRun.of("export", model, "--resume", run, "-o", weights);
        assertThat(exported.exitCode()).as(exported.err()).isZero();
    }

    private static StoredTensor zeros(String name, long... shape) {
        List<Long> extents = Arrays.stream(shape).boxed().toList();
        long bytes = Float.BYTES * extents.stream().reduce(1L, (a, b) -> a * b);
        return new StoredTensor(name, StoredType.F32, extents, Arena.ofAuto().allocate(bytes, Long.BYTES));
    }

    private CommandRun onnx(String... more) {
        List<String> words = new ArrayList<>(List.of("export", model, "--init", weights, "-o", result.toString()));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private void refuses(int exitCode, String problem, String... more) {
        CommandRun refused = onnx(more);
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(exitCode);
        assertThat(refused.err()).contains(problem);
        assertThat(result).doesNotExist();
        assertThat(folder.resolve("apart.safetensors")).doesNotExist();
    }

    @Test
    void optionsOfAnotherFormat() {
        refuses(2, "--opset is for --format onnx", "--opset", "18");
        refuses(
                2,
                "--external is for --format onnx",
                "--external",
                folder.resolve("apart.safetensors").toString());
        refuses(2, "--outputs is for --format onnx", "--outputs", "loss");
        refuses(2, "--inputs is for --format onnx", "--inputs", "x");
        String adapters = "--adapters and --merge are for --format safetensors";
        refuses(2, adapters, "--format", "onnx", "--merge");
        refuses(2, adapters, "--format", "onnx", "--adapters");
        refuses(2, "--opset is from 17 to 24, not 16", "--format", "onnx", "--opset", "16");
        refuses(2, "--opset is from 17 to 24, not 25", "--format", "onnx", "--opset", "25");
    }

    @Test
    void weightsThatTheModelWouldNotFind() {
        String problem = "--external is another file than -o names, in the same folder or below it";
        refuses(2, problem, "--format", "onnx", "--external", result.toString());
        refuses(
                2,
                problem,
                "--format",
                "onnx",
                "--external",
                folder.resolve("../apart.safetensors").toString());
        refuses(2, "is what is read", "--format", "onnx", "--external", weights);
    }

    @Test
    void namesThatNoValueHas() {
        String apart = folder.resolve("apart.safetensors").toString();
        refuses(3, "E0201", "--format", "onnx", "--outputs", "lost", "--external", apart);
        refuses(3, "E0201", "--format", "onnx", "--inputs", "lost", "--external", apart);
    }

    @Test
    void whatOnnxCannotSay() throws IOException {
        model = TinyModels.write(folder, "noisy.model", NOISY);
        weights = folder.resolve("noisy.safetensors").toString();
        SafetensorsWriter.write(Path.of(weights), Map.of(), List.of(zeros("out.weight", 4, 4), zeros("out.bias", 4)));
        String apart = folder.resolve("apart.safetensors").toString();
        refuses(3, "E0801", "--format", "onnx", "--external", apart);
        CommandRun given = onnx("--format", "onnx", "--inputs", "noise");
        assertThat(given.exitCode()).as(given.err()).isZero();
        assertThat(given.out()).contains("from x: f32[B, 4], noise: f32[B, 4] to y: f32[B, 4]");
    }

    /** Of the symbols that the run had numbers for, one is not open: the text is another for each. */
    @Test
    void aLoopKeepsTheRoundsOfTheRun() throws IOException {
        model = TinyModels.write(folder, "loop.model", LOOP);
        String run = folder.resolve("loop").toString();
        CommandRun trained =
                CommandRun.of("train", model, "--set", "B=2,T=3", "--data", "synthetic", "--steps", "1", "--save", run);
        assertThat(trained.exitCode()).as(trained.err()).isZero();
        String[] words = {"export", model, "--resume", run, "--format", "onnx", "-o", result.toString()};
        CommandRun exported = CommandRun.of(words);
        assertThat(exported.exitCode()).as(exported.err()).isZero();
        assertThat(exported.out()).contains("from x: f32[B, 3, 2] to h: f32[B, 2]");
    }

    @Test
    void aModelWithoutOutputsGivesItsScores() {
        CommandRun exported = onnx("--format", "onnx");
        assertThat(exported.exitCode()).as(exported.err()).isZero();
        assertThat(exported.out()).contains("opset 18, from tokens: i32[B, T] to logits: f32[B, T, 256]");
    }
}
