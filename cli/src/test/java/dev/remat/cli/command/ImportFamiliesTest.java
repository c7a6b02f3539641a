package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Imported models against what PyTorch computes of the same folders in f64, from the families' published equations
 * ({@code tests/benchmarks/torch_pretrained.py}).
 */
@Tag("slow")
class ImportFamiliesTest {
    private static final Path FOLDERS = Path.of("src/test/resources/dev/remat/cli/pretrained");
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    /** What gradients are held against that are 0 but for rounding, as those of biases of keys are. */
    private static final double LEAST = 0.01;

    @TempDir
    Path folder;

    /** @param logits what the model calls them */
    @ParameterizedTest
    @CsvSource({
        "gpt2, logits",
        "gpt2-shards, logits",
        "gpt2-classes, logits",
        "llama, logits",
        "llama-tied, logits",
        "mistral, logits",
        "qwen2, logits",
        "qwen2-classes, logits",
        "bert, cls.predictions",
        "bert-classes, logits",
        "roberta, lm_head",
        "roberta-classes, logits",
        "distilbert, vocab_projector",
        "distilbert-classes, logits",
        "vit, logits"
    })
    void lossesValuesAndGradientsAreThoseOfPyTorch(String name, String logits) throws IOException {
        String model = imported(name);
        Path inputs = folder.resolve("inputs.safetensors");
        try (SafetensorsFile expected =
                        SafetensorsFile.open(FOLDERS.resolve(name).resolve("expected.safetensors"));
                SafetensorsFile weights = SafetensorsFile.open(folder.resolve("m.safetensors"))) {
            List<StoredTensor> given = new ArrayList<>(inputs(expected));
            given.addAll(weights.tensors());
            SafetensorsWriter.write(inputs, Map.of(), given);
            boolean sees = expected.find("hidden").isPresent();
            for (String set : settings(model, expected)) {
                Path result = folder.resolve("gradients.safetensors");
                CommandRun run = CommandRun.of(
                        "grad",
                        model,
                        "--set",
                        set,
                        "--inputs",
                        inputs.toString(),
                        "--values",
                        logits + (sees ? ",hidden" : ""),
                        "-o",
                        result.toString());
                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(run.err()).isEmpty();
                try (SafetensorsFile found = SafetensorsFile.open(result)) {
                    compare(expected, found, logits);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"bert-features", "vit-features"})
    void featuresAreThoseOfPyTorch(String name) throws IOException {
        String model = imported(name);
        Path inputs = folder.resolve("inputs.safetensors");
        Path result = folder.resolve("outputs.safetensors");
        try (SafetensorsFile expected =
                SafetensorsFile.open(FOLDERS.resolve(name).resolve("expected.safetensors"))) {
            SafetensorsWriter.write(inputs, Map.of(), inputs(expected));
            CommandRun run = CommandRun.of(
                    "eval",
                    model,
                    "--set",
                    settings(model, expected).getFirst(),
                    "--init",
                    folder.resolve("m.safetensors").toString(),
                    "--data",
                    inputs.toString(),
                    "--all",
                    "-o",
                    result.toString());
            assertThat(run.exitCode()).as(run.err()).isZero();
            try (SafetensorsFile found = SafetensorsFile.open(result)) {
                compare(expected, found, "logits");
            }
        }
    }

    private String imported(String name) throws IOException {
        Path model = folder.resolve("m.model");
        CommandRun run = CommandRun.of("import", FOLDERS.resolve(name).toString(), "-o", model.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        CommandRun formatted = CommandRun.of("fmt", "--check", model.toString());
        assertThat(formatted.exitCode()).as(formatted.err()).isZero();
        assertThat(Files.readString(model).lines().count()).isLessThanOrEqualTo(75);
        return model.toString();
    }

    /** Integers and images; floats are values and gradients. */
    private static List<StoredTensor> inputs(SafetensorsFile expected) {
        return expected.tensors().stream()
                .filter(tensor ->
                        tensor.type() == StoredType.I64 || tensor.name().equals("pixel_values"))
                .toList();
    }

    /** Without dropout: with attention as one kernel, and where the model has it, with its weights in memory. */
    private static List<String> settings(String model, SafetensorsFile expected) throws IOException {
        String text = Files.readString(Path.of(model));
        List<Long> shape = inputs(expected).stream()
                .map(StoredTensor::shape)
                .filter(extents -> extents.size() > 1)
                .findFirst()
                .orElseThrow();
        String set = "B=" + shape.getFirst() + (text.contains("symbol B, T") ? ",T=" + shape.get(1) : "")
                + (text.contains(" drop: float") ? ",drop=0" : "");
        return text.contains("attention_drop: float")
                ? List.of(set + ",attention_drop=0", set + ",attention_drop=1e-12")
                : List.of(set);
    }

    private static void compare(SafetensorsFile expected, SafetensorsFile found, String logits) {
        long gradients = found.tensors().stream()
                .filter(tensor -> tensor.name().startsWith("grad."))
                .count();
        long compared = 0;
        for (StoredTensor each : expected.tensors()) {
            if (inputs(expected).contains(each)) {
                continue;
            }
            String name = each.name().equals("logits") ? logits : each.name();
            StoredTensor own = found.find(name)
                    .or(() -> Optional.of(name)
                            .filter(part -> part.startsWith("grad."))
                            .flatMap(part -> found.find(part.replaceFirst("grad", "grad.transformer"))))
                    .orElseThrow(() -> new AssertionError("nothing is called " + name));
            assertThat(difference(own, each)).as(name).isLessThan(1e-5);
            compared += name.startsWith("grad.") ? 1 : 0;
        }
        assertThat(compared).isEqualTo(gradients);
    }

    private static double difference(StoredTensor own, StoredTensor other) {
        assertThat(own.elements()).isEqualTo(other.elements());
        double most = 0;
        double largest = LEAST;
        for (long i = 0; i < own.elements(); i++) {
            float wanted = other.data().getAtIndex(FLOAT, i);
            most = Math.max(most, Math.abs(own.data().getAtIndex(FLOAT, i) - wanted));
            largest = Math.max(largest, Math.abs(wanted));
        }
        return most / largest;
    }
}
