package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code export --format onnx} writes is what {@code eval} computes. */
@Tag("slow")
class OnnxCommandTest {
    private static final int ROWS = 5;
    private static final String MODEL = """
        remat 1

        model Small {
          symbol B
          input x: f32[B, 6]
          input labels: i32[B]

          h = relu(batch_norm(linear(x, 4) as first) as norm)
          logits = linear(h, 4) as second
          loss = cross_entropy(dropout(logits, 0.5), labels)
          output logits, h
        }

        train {
          minimize loss
          optimizer adamw(lr = 0.01)
        }
        """;
    private static final String NAMES = """
        first.weight   packed.weight  T[0:4]
        second.weight  tail           T
        first.bias     biases         [4:8]
        second.bias    biases         [0:4]
        """;

    @TempDir
    Path folder;

    private String model;
    private String run;
    private String data;

    @BeforeEach
    void train() throws IOException {
        model = Files.writeString(folder.resolve("small.model"), MODEL).toString();
        run = folder.resolve("run").toString();
        remat("train", model, "--set", "B=4", "--data", "synthetic", "--steps", "3", "--save", run);
        data = folder.resolve("data.safetensors").toString();
        Random random = new Random(2);
        StoredTensor x = tensor("x", StoredType.F32, List.of((long) ROWS, 6L));
        for (int i = 0; i < ROWS * 6; i++) {
            x.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
        }
        StoredTensor labels = tensor("labels", StoredType.I32, List.of((long) ROWS));
        SafetensorsWriter.write(Path.of(data), Map.of(), List.of(x, labels));
    }

    private static StoredTensor tensor(String name, StoredType type, List<Long> shape) {
        MemorySegment bytes = Arena.ofAuto().allocate(shape.stream().reduce(1L, (a, b) -> a * b) * type.bytes(), 8);
        return new StoredTensor(name, type, shape, bytes);
    }

    private static String remat(String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = RematCommand.run(new Console(out, err, false, false), words);
        assertThat(exitCode).as(err.toString(StandardCharsets.UTF_8)).isZero();
        return out.toString(StandardCharsets.UTF_8);
    }

    private String export(String name, String... more) {
        String file = folder.resolve(name).toString();
        List<String> words = new ArrayList<>(List.of("export", model, "-o", file));
        words.addAll(List.of(more));
        if (!words.contains("--init")) {
            words.addAll(List.of("--resume", run));
        }
        return remat(words.toArray(String[]::new));
    }

    /** Runs a file with more rows than it was trained with, and compares with {@code eval}. */
    private void expectAgreement(String name, String... source) throws Exception {
        Path evaluated = folder.resolve("evaluated");
        List<String> words = new ArrayList<>(List.of("eval", model, "--set", "B=" + ROWS, "--data", data, "--all"));
        words.addAll(List.of("-o", evaluated.toString()));
        words.addAll(source.length == 0 ? List.of("--resume", run) : List.of(source));
        remat(words.toArray(String[]::new));
        try (SafetensorsFile inputs = SafetensorsFile.open(Path.of(data));
                SafetensorsFile expected = SafetensorsFile.open(evaluated)) {
            Map<String, StoredTensor> known = new LinkedHashMap<>();
            inputs.tensors().forEach(tensor -> known.put(tensor.name(), tensor));
            Map<String, StoredTensor> outputs = OnnxRun.run(folder.resolve(name).toString(), known);
            assertThat(outputs).containsOnlyKeys("logits", "h");
            outputs.forEach((output, tensor) -> {
                StoredTensor wanted = expected.find(output).orElseThrow();
                assertThat(OnnxRun.distance(tensor, wanted)).as(output).isLessThanOrEqualTo(1e-5);
            });
        }
    }

    @Test
    void takesAnyNumberOfRows() throws Exception {
        String told = export("small.onnx", "--format", "onnx");
        assertThat(told).contains("opset 18, from x: f32[B, 6] to logits: f32[B, 4], h: f32[B, 4]");
        expectAgreement("small.onnx");
    }

    @Test
    void takesWeightsFromTheFileOfSafetensorsBeside() throws Exception {
        Files.createDirectory(folder.resolve("weights"));
        String apart = folder.resolve("weights/small.safetensors").toString();
        export("small.onnx", "--format", "onnx", "--external", apart, "--opset", "23");
        expectAgreement("small.onnx");
        assertThat(Files.size(folder.resolve("small.onnx"))).isLessThan(4000);
        export("again.safetensors");
        assertThat(folder.resolve("again.safetensors")).hasSameBinaryContentAs(Path.of(apart));
    }

    @Test
    void takesPackedAndTransposedWeightsApart() throws Exception {
        String names = Files.writeString(folder.resolve("names"), NAMES).toString();
        String apart = folder.resolve("packed.safetensors").toString();
        export("small.onnx", "--format", "onnx", "--names", names, "--external", apart);
        try (SafetensorsFile file = SafetensorsFile.open(Path.of(apart))) {
            assertThat(file.find("packed.weight").orElseThrow().shape()).containsExactly(6L, 4L);
            assertThat(file.find("biases").orElseThrow().shape()).containsExactly(8L);
        }
        expectAgreement("small.onnx");
        export("inside.onnx", "--format", "onnx", "--names", names, "--prefix", "net.");
        expectAgreement("inside.onnx");
    }

    @Test
    void roundedWeightsAreThoseOfTheRoundedFile() throws Exception {
        export("rounded.safetensors", "--dtype", "f16");
        export("small.onnx", "--format", "onnx", "--dtype", "f16");
        expectAgreement(
                "small.onnx", "--init", folder.resolve("rounded.safetensors").toString());
    }

    @Test
    void theSameIsWrittenEachTime() {
        export("one.onnx", "--format", "onnx", "--opset", "21");
        export("two.onnx", "--format", "onnx", "--opset", "21");
        assertThat(folder.resolve("two.onnx")).hasSameBinaryContentAs(folder.resolve("one.onnx"));
    }

    /** Outputs that are asked for need their inputs, and values that are given need none. */
    @Test
    void leavesOutWhatNobodyReads() {
        String loss = export("loss.onnx", "--format", "onnx", "--outputs", "loss,h", "--json");
        assertThat(loss).containsSubsequence("\"inputs\"", "\"x\"", "\"labels\"", "\"outputs\"", "\"loss\"", "\"h\"");
        String tail = export("tail.onnx", "--format", "onnx", "--outputs", "logits", "--inputs", "h");
        assertThat(tail).contains("from h: f32[B, 4] to logits: f32[B, 4]");
    }
}
