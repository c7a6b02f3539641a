package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.cli.onnx.EvaluateText;
import dev.remat.cli.onnx.OnnxSource;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.onnx.source.ImportRequest;
import dev.remat.compiler.onnx.source.ImportedGraph;
import dev.remat.compiler.onnx.statement.Symbols;
import dev.remat.ir.TensorType;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real models of several exporters become texts that compute what ONNX Runtime does, and train. {@code
 * tests/benchmarks/onnx_models.sh} fetches them: those of Maven Central stand on the class path with the profile {@code
 * models}, others in the folder that {@code -Dremat.onnx.models} names.
 */
@Tag("slow")
class OnnxModelsTest {
    private static final int ROWS = 2;
    private static final int TOKENS = 16;
    private static final int WIDTH = 384;

    @TempDir
    Path folder;

    private Path onClassPath(String name) throws IOException {
        try (InputStream in = OnnxModelsTest.class.getResourceAsStream("/" + name)) {
            assumeTrue(in != null, name + " is not on the class path, as the profile 'models' has it");
            Path file = folder.resolve(name);
            Files.copy(in, file);
            return file;
        }
    }

    private static Path fetched(String name) throws IOException {
        String place = System.getProperty("remat.onnx.models", "");
        assumeTrue(!place.isEmpty(), "-Dremat.onnx.models names no folder of models");
        try (Stream<Path> all = Files.walk(Path.of(place))) {
            return all.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
        }
    }

    private static StoredTensor tensor(String name, StoredType type, long... shape) {
        List<Long> extents = Arrays.stream(shape).boxed().toList();
        long bytes = type.bytes() * extents.stream().reduce(1L, (a, b) -> a * b);
        return new StoredTensor(name, type, extents, Arena.ofAuto().allocate(bytes, Long.BYTES));
    }

    private static StoredTensor floats(String name, long... shape) {
        StoredTensor tensor = tensor(name, StoredType.F32, shape);
        Random random = new Random(name.hashCode());
        for (long i = 0; i < tensor.elements(); i++) {
            tensor.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian() / 2);
        }
        return tensor;
    }

    /** Texts of BERT's, the last with four tokens that only fill it up. */
    private static SequencedMap<String, StoredTensor> texts(int rows) {
        StoredTensor ids = tensor("input_ids", StoredType.I64, rows, TOKENS);
        StoredTensor mask = tensor("attention_mask", StoredType.I64, rows, TOKENS);
        Random random = new Random(3);
        for (long i = 0; i < ids.elements(); i++) {
            ids.data().setAtIndex(ValueLayout.JAVA_LONG, i, random.nextInt(1000, 30000));
            mask.data().setAtIndex(ValueLayout.JAVA_LONG, i, i < ids.elements() - 4 ? 1 : 0);
        }
        SequencedMap<String, StoredTensor> all = new LinkedHashMap<>();
        Stream.of(ids, mask, tensor("token_type_ids", StoredType.I64, rows, TOKENS))
                .forEach(each -> all.put(each.name(), each));
        return all;
    }

    private static String remat(int exitCode, String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = new Console(out, out, false, false);
        assertThat(RematCommand.run(console, words))
                .as(out.toString(StandardCharsets.UTF_8))
                .isEqualTo(exitCode);
        return out.toString(StandardCharsets.UTF_8);
    }

    private String at(String name) {
        return folder.resolve(name).toString();
    }

    /** Largest difference of outputs by name, once as it is and once of the means of tokens that count, normalised. */
    private record Distance(double hidden, double mean) {}

    private Distance distance(Path file, String output) throws Exception {
        SequencedMap<String, StoredTensor> inputs = texts(ROWS);
        SafetensorsWriter.write(folder.resolve("data.safetensors"), Map.of(), List.copyOf(inputs.values()));
        remat(
                0,
                "eval",
                at("m.model"),
                "--set",
                "B=2,T=16",
                "--init",
                at("m.safetensors"),
                "--data",
                at("data.safetensors"),
                "--all",
                "-o",
                at("outputs.safetensors"));
        StoredTensor expected = OnnxRun.run(file.toString(), inputs).get(output);
        try (SafetensorsFile found = SafetensorsFile.open(folder.resolve("outputs.safetensors"))) {
            float[] a = numbers(found.find(output).orElseThrow());
            float[] b = numbers(expected);
            return new Distance(apart(a, b), apart(means(a, inputs), means(b, inputs)));
        }
    }

    private static float[] numbers(StoredTensor tensor) {
        return MemorySegment.ofArray(tensor.data().toArray(ValueLayout.JAVA_BYTE))
                .toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
    }

    private static double apart(float[] a, float[] b) {
        assertThat(a).hasSameSizeAs(b);
        double most = 0;
        for (int i = 0; i < a.length; i++) {
            most = Math.max(most, Math.abs((double) a[i] - b[i]));
        }
        return most;
    }

    private static float[] means(float[] hidden, Map<String, StoredTensor> inputs) {
        float[] means = new float[ROWS * WIDTH];
        MemorySegment mask = inputs.get("attention_mask").data();
        for (int row = 0; row < ROWS; row++) {
            double[] sums = new double[WIDTH];
            for (int at = 0; at < TOKENS; at++) {
                if (mask.getAtIndex(ValueLayout.JAVA_LONG, row * TOKENS + at) == 1) {
                    for (int i = 0; i < WIDTH; i++) {
                        sums[i] += hidden[(row * TOKENS + at) * WIDTH + i];
                    }
                }
            }
            double length = Math.sqrt(Arrays.stream(sums).map(x -> x * x).sum());
            for (int i = 0; i < WIDTH; i++) {
                means[row * WIDTH + i] = (float) (sums[i] / length);
            }
        }
        return means;
    }

    @Test
    void importsMiniLm() throws Exception {
        Path file = onClassPath("all-minilm-l6-v2.onnx");
        remat(0, "import", file.toString(), "-o", at("m.model"));
        String text = Files.readString(folder.resolve("m.model"));
        assertThat(text.lines()).hasSizeLessThanOrEqualTo(70);
        assertThat(text).contains("symbol B, T\n", "depth: int = 6");
        try (SafetensorsFile weights = SafetensorsFile.open(folder.resolve("m.safetensors"))) {
            assertThat(weights.tensors())
                    .hasSize(103)
                    .extracting(StoredTensor::name)
                    .contains(
                            "embeddings.position_embeddings.weight",
                            "embeddings.LayerNorm.bias",
                            "encoder.layer.0.attention.self.query.weight",
                            "encoder.layer.5.attention.output.dense.bias",
                            "encoder.layer.3.output.LayerNorm.weight",
                            "pooler.dense.weight");
        }
        Distance distance = distance(file, "output_0");
        assertThat(distance.hidden()).isLessThanOrEqualTo(1e-5);
        assertThat(distance.mean()).isLessThanOrEqualTo(1e-6);
    }

    @Test
    void importsBgeSmall() throws Exception {
        Path file = onClassPath("bge-small-en-v1.5.onnx");
        remat(0, "import", file.toString(), "-o", at("m.model"));
        String text = Files.readString(folder.resolve("m.model"));
        assertThat(text.lines()).hasSizeLessThanOrEqualTo(70);
        assertThat(text).contains("depth: int = 12");
        assertThat(distance(file, "last_hidden_state").hidden()).isLessThanOrEqualTo(2e-5);
    }

    /** The weights of the file are those of a folder of Hugging Face's. */
    @Test
    void computesWhatTheFolderComputes() throws Exception {
        remat(0, "import", onClassPath("all-minilm-l6-v2.onnx").toString(), "-o", at("m.model"));
        Path bert = Files.createDirectory(folder.resolve("bert"));
        Files.copy(folder.resolve("m.safetensors"), bert.resolve("model.safetensors"));
        Files.writeString(bert.resolve("config.json"), """
            {"architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "hidden_size": 384,
             "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536, "vocab_size": 30522,
             "max_position_embeddings": 512, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0,
             "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "initializer_range": 0.02,
             "position_embedding_type": "absolute"}
            """);
        remat(0, "import", bert.toString(), "-o", at("f.model"), "--task", "features");
        SafetensorsWriter.write(
                folder.resolve("data.safetensors"),
                Map.of(),
                List.copyOf(texts(ROWS).values()));
        for (String model : List.of("m", "f")) {
            remat(
                    0,
                    "eval",
                    at(model + ".model"),
                    "--set",
                    "B=2,T=16" + (model.equals("f") ? ",attention_drop=0" : ""),
                    "--init",
                    at(model + ".safetensors"),
                    "--data",
                    at("data.safetensors"),
                    "--all",
                    "-o",
                    at(model + "-outputs.safetensors"));
        }
        try (SafetensorsFile ofFile = SafetensorsFile.open(folder.resolve("m-outputs.safetensors"));
                SafetensorsFile ofFolder = SafetensorsFile.open(folder.resolve("f-outputs.safetensors"))) {
            assertThat(numbers(ofFile.find("output_0").orElseThrow()))
                    .isEqualTo(numbers(ofFolder.find("hidden").orElseThrow()));
        }
    }

    /** With a head of two classes that a user has written. */
    private void addHead() throws Exception {
        remat(
                0,
                "import",
                onClassPath("all-minilm-l6-v2.onnx").toString(),
                "-o",
                at("m.model"),
                "--outputs",
                "882",
                "--loss",
                "cross_entropy");
        String text = Files.readString(folder.resolve("m.model"))
                .replaceFirst(
                        "loss = cross_entropy\\((\\w+), targets\\)",
                        "loss = cross_entropy(linear($1, 2) as head, targets)");
        Files.writeString(folder.resolve("m.model"), text);
    }

    @Test
    void trainsWithAHead() throws Exception {
        addHead();
        StoredTensor targets = tensor("targets", StoredType.I64, 4);
        targets.data().setAtIndex(ValueLayout.JAVA_LONG, 1, 1);
        targets.data().setAtIndex(ValueLayout.JAVA_LONG, 2, 1);
        List<StoredTensor> data = new ArrayList<>(texts(4).values());
        data.add(targets);
        SafetensorsWriter.write(folder.resolve("train.safetensors"), Map.of(), data);
        List<String> states = new ArrayList<>();
        for (String budget : List.of("none", "560MiB", "460MiB")) {
            List<String> words = new ArrayList<>(List.of(
                    "train",
                    at("m.model"),
                    "--set",
                    "B=4,T=16",
                    "--init",
                    at("m.safetensors"),
                    "--data",
                    at("train.safetensors"),
                    "--steps",
                    "60",
                    "--json"));
            if (!budget.equals("none")) {
                words.addAll(List.of("--budget", budget));
            }
            String log = remat(0, words.toArray(String[]::new));
            List<Double> losses = numbers(log, "\"loss\":\\s*([0-9.eE+-]+)");
            assertThat(losses.getLast()).isLessThanOrEqualTo(0.05 * losses.getFirst());
            Matcher state = Pattern.compile("\"stateHash\":\\s*\"(\\w+)\"").matcher(log);
            assertThat(state.find()).isTrue();
            states.add(state.group(1));
        }
        assertThat(states).containsOnly(states.getFirst());
    }

    private static List<Double> numbers(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(result -> Double.parseDouble(result.group(1)))
                .toList();
    }

    @Test
    void gradientsAgreeWithDifferences() throws Exception {
        addHead();
        assertThat(remat(0, "check", at("m.model"), "--set", "B=2,T=16,depth=1"))
                .contains("gradients");
    }

    @Test
    void refusesAQuantisedModelOnceForEachKind() throws Exception {
        Path file = onClassPath("all-minilm-l6-v2-q.onnx");
        String said = remat(3, "import", file.toString(), "-o", at("m.model"));
        assertThat(said)
                .contains(
                        "MatMulInteger",
                        "DynamicQuantizeLinear",
                        "DequantizeLinear",
                        "; and 35 more such",
                        "; and 23 more such");
        assertThat(said.lines().filter(line -> line.contains("error[E0707]"))).hasSize(3);
        assertThat(folder.resolve("m.model")).doesNotExist();
    }

    /** What an import computes is near to what ONNX Runtime does. */
    private void expectNear(String name, Map<String, Double> set, StoredTensor... inputs) throws Exception {
        Path file = fetched(name);
        SequencedMap<String, List<Double>> fixed = new LinkedHashMap<>();
        set.forEach((input, number) -> fixed.put(input, List.of(number)));
        Map<String, StoredTensor> known = new LinkedHashMap<>();
        Arrays.stream(inputs).forEach(input -> known.put(input.name(), input));
        try (OnnxSource source = OnnxSource.open(file, false)) {
            ImportedGraph imported =
                    source.run(new ImportRequest("M", name, List.of(), List.of(), fixed, false, Optional.empty()));
            SequencedMap<String, StoredTensor> fed = new LinkedHashMap<>();
            ModelSettings settings = ModelSettings.NONE;
            for (var input : imported.inputNames().entrySet()) {
                StoredTensor given = known.get(input.getValue());
                fed.put(input.getKey(), given.named(input.getKey()));
                TensorType type = imported.inputs().get(input.getKey());
                for (int axis = 0; axis < type.rank(); axis++) {
                    if (Symbols.isSymbol(type.dim(axis))) {
                        settings = settings.with(
                                type.dim(axis).toString(),
                                given.shape().get(axis).toString());
                    }
                }
            }
            SequencedMap<String, StoredTensor> results = EvaluateText.run(
                            imported.text(), settings, source.weights(imported), fed)
                    .outputs();
            Map<String, StoredTensor> expected = OnnxRun.run(file.toString(), known);
            imported.outputNames()
                    .forEach(
                            (here, there) -> assertThat(apart(numbers(results.get(here)), numbers(expected.get(there))))
                                    .as(there)
                                    .isLessThanOrEqualTo(1e-4));
        }
    }

    private static StoredTensor rate() {
        StoredTensor rate = tensor("sr", StoredType.I64);
        rate.data().setAtIndex(ValueLayout.JAVA_LONG, 0, 16000);
        return rate;
    }

    @Test
    void importsSilero() throws Exception {
        expectNear(
                "silero_vad_v5.onnx",
                Map.of("sr", 16000.0, "N1", 576.0),
                floats("input", 2, 576),
                floats("state", 2, 2, 128),
                rate());
    }

    @Test
    void importsPaddlesModels() throws Exception {
        expectNear("ch_ppocr_mobile_v2.0_cls_infer.onnx", Map.of(), floats("x", 2, 3, 48, 192));
        expectNear("ch_PP-OCRv4_rec_infer.onnx", Map.of(), floats("x", 1, 3, 48, 64));
        expectNear("ch_PP-OCRv4_det_infer.onnx", Map.of("H", 64.0, "W", 64.0), floats("x", 1, 3, 64, 64));
    }

    @Test
    void importsAModelOfTensorFlow() throws Exception {
        expectNear("embedding_model.onnx", Map.of(), floats("input_1", 2, 76, 32, 1));
    }
}
