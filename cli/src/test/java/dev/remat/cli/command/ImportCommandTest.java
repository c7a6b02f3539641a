package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code import} says and writes. */
class ImportCommandTest {
    private static final Path FOLDERS = Path.of("src/test/resources/dev/remat/cli/pretrained");

    @TempDir
    Path folder;

    private CommandRun run(String name, String... more) {
        List<String> words = new ArrayList<>(List.of(
                "import",
                FOLDERS.resolve(name).toString(),
                "-o",
                folder.resolve("tiny-one.model").toString()));
        words.addAll(List.of(more));
        CommandRun run = CommandRun.of(words.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run;
    }

    @Test
    void tellsWhatItMadeAndWhatToDoNext() throws IOException {
        String said = run("gpt2").out();
        // Two tables of 20 and 12 rows of 8, and of two layers four maps with biases and two norms, and one norm more.
        long parameters = (20 + 12) * 8 + 2 * (8 * 24 + 24 + 8 * 8 + 8 + 8 * 32 + 32 + 32 * 8 + 8 + 4 * 8) + 2 * 8;
        long lines = Files.readAllLines(folder.resolve("tiny-one.model")).size();
        assertThat(said)
                .contains(
                        "tiny-one.model: gpt2 for causal-lm, " + lines + " lines, " + parameters + " parameters",
                        "tiny-one.safetensors: 28 tensors, 8064 bytes (7.88 KiB) of f32",
                        "not used: 2 × h.N.attn.bias, 2 × h.N.attn.masked_bias",
                        "  remat plan ",
                        "  remat train ");
    }

    @Test
    void tellsTheSameAsJson() {
        assertThat(run("gpt2", "--json").out())
                .contains(
                        "\"schema\": \"remat-import/1\"",
                        "\"family\": \"gpt2\"",
                        "\"task\": \"causal-lm\"",
                        "\"tensors\": 28",
                        "\"h.0.attn.bias\"",
                        "\"fresh\": []");
    }

    @Test
    void weightsHaveTheirOwnNamesAndBits() throws IOException {
        run("gpt2-shards");
        try (SafetensorsFile own = SafetensorsFile.open(folder.resolve("tiny-one.safetensors"));
                SafetensorsFile shard = SafetensorsFile.open(
                        FOLDERS.resolve("gpt2-shards").resolve("model-00001-of-00003.safetensors"))) {
            assertThat(shard.tensors()).isNotEmpty();
            for (StoredTensor tensor : shard.tensors()) {
                StoredTensor same = own.find(tensor.name()).orElseThrow();
                assertThat(same.type()).isEqualTo(StoredType.F16);
                assertThat(same.data().mismatch(tensor.data())).isEqualTo(-1);
            }
        }
    }

    @Test
    void aHeadForAnotherTaskIsNewAndTrains() throws IOException {
        String said = run("bert", "--task", "classification=3").out();
        assertThat(said)
                .contains("new, and starts as the model says: classifier.weight, classifier.bias")
                .contains("not used: cls.predictions.bias, ");
        String model = folder.resolve("tiny-one.model").toString();
        assertThat(Files.readString(Path.of(model))).contains("model TinyOne(", "as classifier");
        CommandRun trained = CommandRun.of(
                "train",
                model,
                "--set",
                "B=2,T=5",
                "--data",
                "synthetic",
                "--init",
                folder.resolve("tiny-one.safetensors").toString(),
                "--steps",
                "2");
        assertThat(trained.exitCode()).as(trained.err()).isZero();
        assertThat(trained.err()).contains("lacks 2 parameters (classifier.bias, classifier.weight)");
    }

    @Test
    void whatIsTrainedGoesBackUnderTheNamesItCameWith() throws IOException {
        run("llama");
        Path back = folder.resolve("back.safetensors");
        CommandRun export = CommandRun.of(
                "export",
                folder.resolve("tiny-one.model").toString(),
                "--init",
                folder.resolve("tiny-one.safetensors").toString(),
                "-o",
                back.toString());
        assertThat(export.exitCode()).as(export.err()).isZero();
        try (SafetensorsFile own = SafetensorsFile.open(back);
                SafetensorsFile given =
                        SafetensorsFile.open(FOLDERS.resolve("llama").resolve("model.safetensors"))) {
            assertThat(own.tensors()).hasSameSizeAs(given.tensors());
            for (StoredTensor tensor : given.tensors()) {
                assertThat(own.find(tensor.name()).orElseThrow().data().mismatch(tensor.data()))
                        .isEqualTo(-1);
            }
        }
    }
}
