package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.ExitCode;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Models that are imported with adapters: what is trained of them, and how they leave. */
@Tag("slow")
class LoraTest {
    private static final Path FOLDERS = Path.of("src/test/resources/dev/remat/cli/pretrained");
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    /** Tensors of the arena begin at multiples of so many bytes. */
    private static final long ALIGNMENT = 256;

    @TempDir
    Path folder;

    private CommandRun run(String... words) {
        CommandRun run = CommandRun.of(words);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run;
    }

    private String imported(String name, String file, String... more) {
        String model = folder.resolve(file + ".model").toString();
        List<String> words =
                new ArrayList<>(List.of("import", FOLDERS.resolve(name).toString(), "-o", model));
        words.addAll(List.of(more));
        run(words.toArray(String[]::new));
        return model;
    }

    /** Checkpoint of a few steps of training, which moves adapters from where they began. */
    private String trained(String model, String sizes) {
        String checkpoint = folder.resolve("run").toString();
        run(
                "train",
                model,
                "--set",
                sizes,
                "--data",
                "synthetic",
                "--init",
                model.replace(".model", ".safetensors"),
                "--steps",
                "8",
                "--save",
                checkpoint);
        return checkpoint;
    }

    private SafetensorsFile exported(String model, String checkpoint, String file, String... more) throws IOException {
        Path result = folder.resolve(file);
        List<String> words = new ArrayList<>(List.of("export", model, "--resume", checkpoint, "-o", result.toString()));
        words.addAll(List.of(more));
        run(words.toArray(String[]::new));
        return SafetensorsFile.open(result);
    }

    @Test
    void arenaHasAdaptersStateAndGradientsAndOfAllElseTheParameters() throws IOException {
        String model = imported("gpt2", "lora", "--lora", "16");
        // Of each layer: two norms, four maps with biases, and an adapter of rank 16; then two tables and a norm.
        long[][] layer = {
            {8}, {8}, {8}, {8}, {8, 24}, {24}, {8, 8}, {8}, {8, 32}, {32}, {32, 8}, {8},
        };
        long[][] adapter = {{16, 8}, {24, 16}};
        long[][] others = {{20, 8}, {12, 8}, {8}, {8}};
        long adapters = 2 * bytes(adapter);
        long parameters = 2 * bytes(layer) + adapters + bytes(others);
        String plan = run("plan", model, "--set", "B=2,T=6", "--json").out();
        assertThat(number(plan, "parameterBytes")).isEqualTo(parameters);
        assertThat(number(plan, "optimizerBytes")).isEqualTo(2 * adapters);
        // All gradients are there when their norm is taken, and no other.
        Path stages = folder.resolve("stages");
        run("plan", model, "--set", "B=2,T=6", "--dump-dir", stages.toString());
        List<String> gradients = gradients(stages);
        assertThat(gradients)
                .hasSize(4)
                .allMatch(name -> name.matches("transformer\\.h\\.[01]\\.attn\\.c_attn\\.lora\\.[AB]"));
        Path whole = folder.resolve("whole");
        run("plan", imported("gpt2", "plain"), "--set", "B=2,T=6", "--dump-dir", whole.toString());
        assertThat(gradients(whole)).hasSize(28);
    }

    private static long bytes(long[]... shapes) {
        long bytes = 0;
        for (long[] shape : shapes) {
            long elements = 1;
            for (long extent : shape) {
                elements *= extent;
            }
            bytes += Math.ceilDiv(elements * Float.BYTES, ALIGNMENT) * ALIGNMENT;
        }
        return bytes;
    }

    private static long number(String json, String field) {
        Matcher matcher = Pattern.compile("\"" + field + "\": (\\d+)").matcher(json);
        assertThat(matcher.find()).as(json).isTrue();
        return Long.parseLong(matcher.group(1));
    }

    /** Parameters whose gradients the step computes. */
    private static List<String> gradients(Path stages) throws IOException {
        return Pattern.compile("\"grad\\.((?:transformer|lm_head)\\.[^\"]*?)\" ")
                .matcher(Files.readString(stages.resolve("03-training.txt")))
                .results()
                .map(match -> match.group(1))
                .filter(name -> name.matches(".*(weight|bias|A|B)"))
                .distinct()
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"gpt2, 4, 'c_attn,c_proj'", "llama, 3, 'q_proj,v_proj,down_proj'"})
    void mergedWeightsComputeWhatAdaptersDoAndTheRestIsAsItWas(String name, String rank, String targets)
            throws IOException {
        String plain = imported(name, "plain");
        String model = imported(name, "lora", "--lora", rank, "--targets", targets);
        String checkpoint = trained(model, "B=2,T=6");
        Path inputs = folder.resolve("inputs.safetensors");
        try (SafetensorsFile all = exported(model, checkpoint, "all.safetensors");
                SafetensorsFile merged = exported(model, checkpoint, "merged.safetensors", "--merge");
                SafetensorsFile given = SafetensorsFile.open(Path.of(plain.replace(".model", ".safetensors")));
                SafetensorsFile recorded =
                        SafetensorsFile.open(FOLDERS.resolve(name).resolve("expected.safetensors"))) {
            assertThat(merged.tensors())
                    .extracting(StoredTensor::name)
                    .containsExactlyInAnyOrderElementsOf(
                            given.tensors().stream().map(StoredTensor::name).toList());
            int changed = 0;
            for (StoredTensor tensor : given.tensors()) {
                assertThat(all.find(tensor.name()).orElseThrow().data().mismatch(tensor.data()))
                        .as(tensor.name())
                        .isEqualTo(-1);
                changed += merged.find(tensor.name()).orElseThrow().data().mismatch(tensor.data()) < 0 ? 0 : 1;
            }
            assertThat(changed).isEqualTo(6);
            List<StoredTensor> tokens = recorded.tensors().stream()
                    .filter(tensor -> tensor.type() == StoredType.I64)
                    .toList();
            List<StoredTensor> apart = hidden(model, inputs, tokens, all.tensors());
            List<StoredTensor> folded = hidden(plain, inputs, tokens, merged.tensors());
            List<StoredTensor> before = hidden(plain, inputs, tokens, given.tensors());
            assertThat(difference(apart, folded)).isLessThan(1e-6);
            assertThat(difference(apart, before)).isGreaterThan(1e-4);
        }
    }

    private List<StoredTensor> hidden(String model, Path inputs, List<StoredTensor> tokens, List<StoredTensor> weights)
            throws IOException {
        List<StoredTensor> given = new ArrayList<>(tokens);
        given.addAll(weights);
        SafetensorsWriter.write(inputs, Map.of(), given);
        Path result = folder.resolve("hidden.safetensors");
        String text = Files.readString(Path.of(model));
        run(
                "grad",
                model,
                "--set",
                "B=2,T=6" + (text.contains("attention_drop") ? ",drop=0,attention_drop=0" : ""),
                "--inputs",
                inputs.toString(),
                "--values",
                "hidden",
                "-o",
                result.toString());
        SafetensorsFile file = SafetensorsFile.open(result);
        return List.of(file.find("hidden").orElseThrow());
    }

    /** Of the largest element. */
    private static double difference(List<StoredTensor> a, List<StoredTensor> b) {
        double most = 0;
        double largest = 0;
        for (long i = 0; i < a.getFirst().elements(); i++) {
            float one = a.getFirst().data().getAtIndex(FLOAT, i);
            most = Math.max(most, Math.abs(one - b.getFirst().data().getAtIndex(FLOAT, i)));
            largest = Math.max(largest, Math.abs(one));
        }
        return most / largest;
    }

    @Test
    void adaptersLeaveUnderTheNamesAndInTheLayoutOfPeft() throws IOException {
        String model = imported("gpt2", "lora", "--lora", "4");
        String checkpoint = trained(model, "B=2,T=6");
        Path adapters = folder.resolve("adapters");
        run("export", model, "--resume", checkpoint, "--adapters", "-o", adapters.toString());
        try (SafetensorsFile file = SafetensorsFile.open(adapters.resolve("adapter_model.safetensors"))) {
            assertThat(file.tensors())
                    .extracting(tensor -> tensor.name() + tensor.shape())
                    .containsExactlyInAnyOrder(
                            "base_model.model.transformer.h.0.attn.c_attn.lora_A.weight[4, 8]",
                            "base_model.model.transformer.h.0.attn.c_attn.lora_B.weight[24, 4]",
                            "base_model.model.transformer.h.1.attn.c_attn.lora_A.weight[4, 8]",
                            "base_model.model.transformer.h.1.attn.c_attn.lora_B.weight[24, 4]");
        }
        assertThat(Files.readString(adapters.resolve("adapter_config.json")))
                .contains(
                        "\"peft_type\":\"LORA\"",
                        "\"r\":4",
                        "\"lora_alpha\":8.0",
                        "\"fan_in_fan_out\":true",
                        "\"target_modules\":[\"c_attn\"]",
                        "\"modules_to_save\":null",
                        "\"task_type\":\"CAUSAL_LM\"");
    }

    @Test
    void aHeadIsTrainedBesideAdaptersAndLeavesWithThem() throws IOException {
        String model =
                imported("bert", "lora", "--task", "classification=3", "--lora", "2", "--targets", "query,dense");
        String checkpoint = trained(model, "B=2,T=5");
        Path adapters = folder.resolve("adapters");
        run("export", model, "--resume", checkpoint, "--adapters", "-o", adapters.toString());
        try (SafetensorsFile file = SafetensorsFile.open(adapters.resolve("adapter_model.safetensors"))) {
            // Four maps a layer with two parts each, and the head.
            assertThat(file.tensors()).hasSize(2 * 4 * 2 + 2);
            assertThat(file.find("base_model.model.classifier.weight")).isPresent();
        }
        // The pooler's dense has no adapter, so the last name alone would say too much.
        assertThat(Files.readString(adapters.resolve("adapter_config.json")))
                .contains(
                        "\"bert.encoder.layer.1.attention.output.dense\"",
                        "\"fan_in_fan_out\":false",
                        "\"modules_to_save\":[\"classifier\"]",
                        "\"task_type\":\"SEQ_CLS\"");
    }

    @Test
    void whatHasNoAdaptersIsRefused() {
        String plain = imported("gpt2", "plain");
        String weights = plain.replace(".model", ".safetensors");
        Path out = folder.resolve("out");
        for (String option : List.of("--adapters", "--merge")) {
            CommandRun run = CommandRun.of("export", plain, "--init", weights, option, "-o", out.toString());
            assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
            assertThat(run.err()).contains("has no adapters; 'remat import --lora'");
            assertThat(out).doesNotExist();
        }
        String folder = FOLDERS.resolve("gpt2").toString();
        CommandRun unknown = CommandRun.of("import", folder, "-o", out + ".model", "--lora", "2", "--targets", "query");
        assertThat(unknown.exitCode()).isEqualTo(ExitCode.MODEL_ERROR.number());
        assertThat(unknown.err()).contains("E0701", "no map that is called query", "c_attn, c_fc, c_proj");
        CommandRun features =
                CommandRun.of("import", folder, "-o", out + ".model", "--lora", "2", "--task", "features");
        assertThat(features.exitCode()).isEqualTo(ExitCode.MODEL_ERROR.number());
        assertThat(features.err()).contains("features have no loss");
        CommandRun alone = CommandRun.of("import", folder, "-o", out + ".model", "--targets", "c_attn");
        assertThat(alone.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(alone.err()).contains("--lora");
    }
}
