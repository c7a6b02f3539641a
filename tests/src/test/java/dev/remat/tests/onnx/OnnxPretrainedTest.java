package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.StoredTensor;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A folder of Hugging Face's, imported and exported, gives in ONNX Runtime what PyTorch computes of it in f64. */
class OnnxPretrainedTest {
    private static final Path FOLDERS =
            Path.of("").toAbsolutePath().resolveSibling("cli/src/test/resources/dev/remat/cli/pretrained");
    /** What numbers are held against that are 0 but for rounding. */
    private static final double LEAST = 0.01;

    @TempDir
    Path folder;

    /** @param logits what the model calls them */
    @ParameterizedTest
    @CsvSource({
        "gpt2, logits, 18",
        "llama, logits, 23",
        "llama-tied, logits, 17",
        "qwen2, logits, 18",
        "bert, cls.predictions, 23",
        "bert-classes, logits, 18",
        "roberta, lm_head, 20",
        "distilbert, vocab_projector, 18",
        "vit, logits, 23"
    })
    void valuesAreThoseOfPyTorch(String name, String logits, String opset) throws Exception {
        String model = folder.resolve("m.model").toString();
        String weights = folder.resolve("m.safetensors").toString();
        String onnx = folder.resolve("m.onnx").toString();
        String apart = folder.resolve("onnx.safetensors").toString();
        remat("import", FOLDERS.resolve(name).toString(), "-o", model);
        remat(
                "export",
                model,
                "--init",
                weights,
                "--format",
                "onnx",
                "--opset",
                opset,
                "--outputs",
                logits,
                "-o",
                onnx,
                "--external",
                apart);
        try (SafetensorsFile expected =
                SafetensorsFile.open(FOLDERS.resolve(name).resolve("expected.safetensors"))) {
            Map<String, StoredTensor> known = new LinkedHashMap<>();
            expected.tensors().forEach(tensor -> known.put(tensor.name(), tensor));
            StoredTensor found = OnnxRun.run(onnx, known).get(logits);
            StoredTensor wanted = expected.find("logits").orElseThrow();
            assertThat(difference(found, wanted)).isLessThan(1e-5);
        }
    }

    private static void remat(String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = RematCommand.run(new Console(out, err, false, false), words);
        assertThat(exitCode).as(err.toString(StandardCharsets.UTF_8)).isZero();
    }

    private static double difference(StoredTensor found, StoredTensor wanted) {
        assertThat(found.elements()).isEqualTo(wanted.elements());
        double most = 0;
        double largest = LEAST;
        for (long i = 0; i < found.elements(); i++) {
            float number = wanted.data().getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
            most = Math.max(most, Math.abs(found.data().getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i) - number));
            largest = Math.max(largest, Math.abs(number));
        }
        return most / largest;
    }
}
