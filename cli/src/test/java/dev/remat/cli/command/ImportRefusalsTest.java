package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.ExitCode;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code import} does not take, and that nothing is written then. */
class ImportRefusalsTest {
    private static final Path FOLDERS = Path.of("src/test/resources/dev/remat/cli/pretrained");

    @TempDir
    Path folder;

    /** A copy of a recorded folder, to be changed. */
    private Path copy(String name) throws IOException {
        Path copy = Files.createDirectory(folder.resolve(name));
        try (Stream<Path> files = Files.list(FOLDERS.resolve(name))) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    private Path withConfig(String name, String before, String after) throws IOException {
        Path copy = copy(name);
        Path config = copy.resolve("config.json");
        String text = Files.readString(config);
        assertThat(text).contains(before);
        Files.writeString(config, text.replace(before, after));
        return copy;
    }

    private CommandRun run(Path from, String... more) {
        List<String> words = new ArrayList<>(
                List.of("import", from.toString(), "-o", written().toString()));
        words.addAll(Arrays.asList(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private Path written() {
        return folder.resolve("m.model");
    }

    private void refused(CommandRun run, ExitCode code, String... words) {
        assertThat(run.exitCode()).as(run.err()).isEqualTo(code.number());
        assertThat(run.err()).contains(words).doesNotContain("internal error", "\tat ");
        assertThat(written()).doesNotExist();
        assertThat(folder.resolve("m.safetensors")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "llama | \"rope_scaling\": null | \"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 8.0} |"
                        + " rope_scaling",
                "llama | \"pretraining_tp\": 1 | \"pretraining_tp\": 2 | pretraining_tp",
                "llama | \"hidden_act\": \"silu\" | \"hidden_act\": \"quick_gelu\" | hidden_act",
                "llama | \"use_cache\": true | \"partial_rotary_factor\": 0.5 | partial_rotary_factor",
                "llama | \"use_cache\": true | \"quantization_config\": {\"bits\": 4} | quantization_config",
                "qwen2 | \"use_sliding_window\": false | \"use_sliding_window\": true | use_sliding_window",
                "qwen2 | \"use_cache\": true | \"layer_types\": [\"sliding_attention\", \"full_attention\"] |"
                        + " layer_types",
                "gpt2 | \"scale_attn_weights\": true | \"scale_attn_weights\": false | scale_attn_weights",
                "gpt2 | \"scale_attn_by_inverse_layer_idx\": false | \"scale_attn_by_inverse_layer_idx\": true |"
                        + " scale_attn_by_inverse_layer_idx",
                "gpt2 | \"use_cache\": true | \"auto_map\": {\"AutoModel\": \"code.Model\"} | auto_map",
                "bert | \"position_embedding_type\": \"absolute\" | \"position_embedding_type\": \"relative_key\" |"
                        + " position_embedding_type",
                "bert | \"use_cache\": true | \"is_decoder\": true | is_decoder",
                "distilbert | \"sinusoidal_pos_embds\": false | \"sinusoidal_pos_embds\": true | sinusoidal_pos_embds",
                "vit | \"qkv_bias\": true | \"qkv_bias\": true, \"pooler_act\": \"relu\" | pooler_act"
            })
    void aKeyThatChangesTheComputationIsNamed(String name, String before, String after, String key) throws IOException {
        refused(run(withConfig(name, before, after)), ExitCode.MODEL_ERROR, "E0702", "\"" + key + "\"");
    }

    @Test
    void allKeysAreNamedAtOnceWithTheirPlaces() throws IOException {
        Path from = withConfig("llama", "\"pretraining_tp\": 1", "\"pretraining_tp\": 2, \"mystery\": 1");
        CommandRun run = run(from, "--ignore", "other");
        refused(run, ExitCode.MODEL_ERROR, "pretraining_tp", "mystery", "--ignore mystery", "2 errors");
        assertThat(run.err()).contains("config.json:20:3: error[E0702]");
    }

    @Test
    void aKeyThatIsIgnoredAndOneThatIsNullPass() throws IOException {
        Path from = withConfig("llama", "\"use_cache\": true", "\"mystery\": 1, \"quantization_config\": null");
        CommandRun run = run(from, "--ignore", "mystery");
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"n_embd\": 8 | \"n_embd\": \"eight\"",
                "\"n_embd\": 8 | \"n_embd\": 99999999999",
                "\"n_embd\": 8 | \"n_embd\": -8",
                "\"n_embd\": 8, | ",
                "\"n_head\": 2 | \"n_head\": 3",
                "\"attn_pdrop\": 0.1 | \"attn_pdrop\": 1.5",
                "\"layer_norm_epsilon\": 1e-05 | \"layer_norm_epsilon\": 0",
                "\"n_layer\": 2 | \"n_layer\": 2000000000"
            })
    void aValueThatCannotBeIsNamed(String before, String after) throws IOException {
        refused(
                run(withConfig("gpt2", before, after == null ? "" : after)),
                ExitCode.MODEL_ERROR,
                "E0703",
                before.contains("n_layer") ? "no model" : before.substring(1, before.indexOf('"', 1)));
    }

    @Test
    void unknownModelsAndTasksAreNamed() throws IOException {
        refused(
                run(withConfig("gpt2", "\"model_type\": \"gpt2\"", "\"model_type\": \"mamba\"")),
                ExitCode.MODEL_ERROR,
                "E0701",
                "mamba",
                "known are bert, distilbert, gpt2");
        refused(run(FOLDERS.resolve("vit"), "--task", "causal-lm"), ExitCode.MODEL_ERROR, "E0701", "causal-lm");
        refused(run(FOLDERS.resolve("vit"), "--task", "detection"), ExitCode.USAGE, "'detection' is no task");
        refused(run(FOLDERS.resolve("vit"), "--task", "features=3"), ExitCode.USAGE, "is no task");
        refused(run(FOLDERS.resolve("bert"), "--task", "classification=0"), ExitCode.USAGE, "counts from 1");
    }

    /** With other tensors than it had. */
    private Path withTensors(String name, Function<StoredTensor, List<StoredTensor>> changed) throws IOException {
        Path copy = copy(name);
        Path file = copy.resolve("model.safetensors");
        Path fresh = folder.resolve("fresh.safetensors");
        try (SafetensorsFile given = SafetensorsFile.open(file)) {
            SafetensorsWriter.write(
                    fresh,
                    Map.of(),
                    given.tensors().stream().map(changed).flatMap(List::stream).toList());
        }
        Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
        return copy;
    }

    @Test
    void everyTensorIsUsedOrKnownAndEveryParameterFilled() throws IOException {
        Path more = withTensors(
                "llama",
                tensor -> tensor.name().equals("model.norm.weight")
                        ? List.of(
                                tensor,
                                new StoredTensor(
                                        "model.layers.0.mlp.gate.weight", tensor.type(), tensor.shape(), tensor.data()))
                        : List.of(tensor));
        refused(run(more), ExitCode.MODEL_ERROR, "E0704", "no tensor model.layers.0.mlp.gate.weight");
        Path fewer =
                withTensors("qwen2", tensor -> tensor.name().endsWith("k_proj.bias") ? List.of() : List.of(tensor));
        refused(
                run(fewer),
                ExitCode.MODEL_ERROR,
                "E0704",
                "there is no tensor model.layers.0.self_attn.k_proj.bias",
                "2 errors");
        refused(
                run(withConfig("mistral", "\"intermediate_size\": 12", "\"intermediate_size\": 16")),
                ExitCode.MODEL_ERROR,
                "E0704",
                "mlp.down_proj.weight: F32[8, 12], the model needs");
    }

    @Test
    void aSecondTableIsLeftIfItIsTheFirst() throws IOException {
        Path same = withTensors(
                "qwen2",
                tensor -> tensor.name().endsWith("embed_tokens.weight")
                        ? List.of(tensor, tensor.named("lm_head.weight"))
                        : List.of(tensor));
        CommandRun run = run(same);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("not used: lm_head.weight");
        Path other = withTensors(
                "llama-tied",
                tensor -> tensor.name().endsWith("embed_tokens.weight")
                        ? List.of(
                                tensor,
                                new StoredTensor(
                                        "lm_head.weight",
                                        tensor.type(),
                                        tensor.shape(),
                                        Arena.ofAuto().allocate(tensor.byteSize())))
                        : List.of(tensor));
        CommandRun refused = run(other, "--overwrite");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.MODEL_ERROR.number());
        assertThat(refused.err()).contains("E0704", "lm_head.weight is not the table of tokens");
    }

    @Test
    void aLayerMoreThanConfiguredIsNotLeft() throws IOException {
        refused(
                run(withConfig("gpt2", "\"n_layer\": 2", "\"n_layer\": 1")),
                ExitCode.MODEL_ERROR,
                "E0704",
                "no tensor h.1.attn.c_attn.bias");
    }

    @Test
    void picklesAreRefusedWithTheWayOut() throws IOException {
        Path copy = copy("gpt2");
        Files.move(copy.resolve("model.safetensors"), copy.resolve("pytorch_model.bin"));
        refused(run(copy), ExitCode.MODEL_ERROR, "E0705", "pytorch_model.bin", "pickle", "safe_serialization=True");
        Files.delete(copy.resolve("pytorch_model.bin"));
        refused(run(copy), ExitCode.MODEL_ERROR, "E0705", "neither model.safetensors nor");
    }

    @Test
    void filesThatAreCutOrBentAreDamaged() throws IOException {
        Path copy = copy("gpt2");
        Path weights = copy.resolve("model.safetensors");
        byte[] whole = Files.readAllBytes(weights);
        Files.write(weights, Arrays.copyOf(whole, whole.length - 5));
        refused(run(copy), ExitCode.BAD_FILE, "model.safetensors", "cut off");
        Files.write(weights, Arrays.copyOf(whole, 4));
        refused(run(copy), ExitCode.BAD_FILE, "too short");
        Files.write(weights, whole);
        Path config = copy.resolve("config.json");
        byte[] text = Files.readAllBytes(config);
        Files.write(config, Arrays.copyOf(text, 40));
        refused(run(copy), ExitCode.BAD_FILE, "config.json", "is not valid JSON");
        Files.writeString(config, "[1]");
        refused(run(copy), ExitCode.BAD_FILE, "no object");
        Files.writeString(config, "{\"model_type\": " + "[".repeat(100) + "]".repeat(100) + "}");
        refused(run(copy), ExitCode.BAD_FILE, "nested");
        Files.delete(config);
        refused(run(copy), ExitCode.USAGE, "config.json");
        refused(run(folder.resolve("nowhere")), ExitCode.USAGE, "nowhere");
        refused(run(weights), ExitCode.BAD_FILE, "model.safetensors", "weights alone");
    }

    @ParameterizedTest
    @CsvSource({"../other.safetensors", "/etc/passwd", "sub/model.safetensors", "..", "model.bin", ".hidden.safetensors"
    })
    void anIndexNamesFilesOfItsFolderAlone(String name) throws IOException {
        Path copy = copy("gpt2-shards");
        Path index = copy.resolve("model.safetensors.index.json");
        Files.writeString(index, Files.readString(index).replace("model-00002-of-00003.safetensors", name));
        refused(run(copy), ExitCode.BAD_FILE, "is in " + name, "no safetensors file here");
    }

    @Test
    void shardsThatAreMissingOrLackWhatTheIndexSaysAreDamaged() throws IOException {
        Path copy = copy("gpt2-shards");
        Path second = copy.resolve("model-00002-of-00003.safetensors");
        Path third = copy.resolve("model-00003-of-00003.safetensors");
        byte[] bytes = Files.readAllBytes(second);
        Files.write(second, Files.readAllBytes(third));
        refused(run(copy), ExitCode.BAD_FILE, "model-00002-of-00003.safetensors lacks");
        Files.write(second, bytes);
        Files.delete(third);
        refused(run(copy), ExitCode.USAGE, "model-00003-of-00003.safetensors");
        Files.writeString(copy.resolve("model.safetensors.index.json"), "{\"weight_map\": []}");
        refused(run(copy), ExitCode.BAD_FILE, "weight_map");
    }

    @Test
    void linksOfTheCacheOfDownloadsAreFollowedAndOthersOutOfTheFolderRefused() throws IOException {
        Path cache = folder.resolve("models--somebody--tiny-llama");
        Path blobs = Files.createDirectories(cache.resolve("blobs"));
        Path snapshot = Files.createDirectories(cache.resolve("snapshots/0123abcd"));
        for (String file : List.of("config.json", "model.safetensors")) {
            Files.copy(FOLDERS.resolve("llama").resolve(file), blobs.resolve("blob-of-" + file));
            Files.createSymbolicLink(snapshot.resolve(file), Path.of("../../blobs/blob-of-" + file));
        }
        CommandRun run = run(snapshot);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(Files.readString(written())).contains("// From tiny-llama: LlamaForCausalLM.");
        Files.writeString(Files.createDirectory(cache.resolve("refs")).resolve("main"), "0123abcd");
        assertThat(run(cache, "--overwrite").exitCode()).isZero();
        Files.delete(written());
        Files.delete(folder.resolve("m.safetensors"));

        Path outside = copy("llama").resolve("model.safetensors");
        Files.delete(snapshot.resolve("model.safetensors"));
        Files.createSymbolicLink(snapshot.resolve("model.safetensors"), outside);
        refused(run(snapshot), ExitCode.MODEL_ERROR, "E0706", "leads out of the folder");

        // A folder that only looks like a snapshot's neighbour has no blobs.
        Path plain = Files.createDirectories(folder.resolve("plain/models"));
        Files.copy(FOLDERS.resolve("llama").resolve("config.json"), plain.resolve("config.json"));
        Files.createSymbolicLink(plain.resolve("model.safetensors"), blobs.resolve("blob-of-model.safetensors"));
        refused(run(plain), ExitCode.MODEL_ERROR, "E0706");
        Files.delete(plain.resolve("model.safetensors"));
        Files.createSymbolicLink(plain.resolve("model.safetensors"), folder.resolve("nowhere"));
        refused(run(plain), ExitCode.USAGE, "model.safetensors");
    }

    @Test
    void filesThatAreThereAreReplacedOnlyIfAsked() throws IOException {
        Path weights = folder.resolve("m.safetensors");
        Files.writeString(weights, "mine");
        CommandRun run = run(FOLDERS.resolve("qwen2"));
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err()).contains("m.safetensors", "--overwrite");
        assertThat(weights).hasContent("mine");
        assertThat(written()).doesNotExist();
        assertThat(run(FOLDERS.resolve("qwen2"), "--overwrite").exitCode()).isZero();
        CommandRun other = CommandRun.of(
                "import",
                FOLDERS.resolve("qwen2").toString(),
                "-o",
                folder.resolve("m.txt").toString());
        assertThat(other.exitCode()).isEqualTo(ExitCode.USAGE.number());
    }
}
