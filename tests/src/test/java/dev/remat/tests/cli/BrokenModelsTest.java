package dev.remat.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.runtime.io.SafetensorsWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every broken model of the golden files, planned or exported as a user would: a located diagnostic, exit 3, and no
 * stack trace.
 */
class BrokenModelsTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final Path BROKEN = ROOT.resolve("compiler/src/test/resources/diagnostics");

    @TempDir
    Path folder;

    /** What a command printed, and how it ended. */
    private record Outcome(int exit, String out, String err) {}

    static List<Path> models() throws IOException {
        try (Stream<Path> files = Files.list(BROKEN)) {
            return files.filter(file -> file.getFileName().toString().matches("E.*\\.model"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("models")
    void aBrokenModelIsLocatedAndExplained(Path model) throws IOException {
        String code = model.getFileName().toString().substring(0, 5);
        Outcome outcome = code.startsWith("E08")
                ? export(model)
                : plan(Stream.concat(Stream.of(model.toString()), options(model))
                        .toArray(String[]::new));
        assertThat(outcome.exit()).isEqualTo(3);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err())
                .containsPattern("\\.model:\\d+:\\d+: error\\[E\\d{4}]: ")
                .contains("[" + code + "]")
                .contains("remat help error")
                .doesNotContain("\tat ")
                .doesNotContain("Exception");
    }

    /** The first line of a model that needs some, such as {@code // --set B=8}. */
    private static Stream<String> options(Path model) throws IOException {
        String first = Files.readAllLines(model).getFirst();
        return first.startsWith("// --") ? Stream.of(first.substring(3).split(" ")) : Stream.empty();
    }

    @Test
    void thereAreEnoughOfThem() throws IOException {
        assertThat(models()).hasSizeGreaterThanOrEqualTo(20);
    }

    @Test
    void aSoundModelIsPlanned() {
        Outcome outcome = plan(ROOT.resolve("samples/mlp.model").toString(), "--set", "B=4");
        assertThat(outcome.exit()).isZero();
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).contains("arena");
    }

    @Test
    void aNameThatNothingReadsIsToldBesideThePlan() {
        String model = BROKEN.resolve("W0201-names.model").toString();
        Outcome text = plan(model, "--set", "B=4,N=2,M=3,_K=1");
        assertThat(text.exit()).isZero();
        assertThat(text.out()).contains("arena").doesNotContain("warning");
        assertThat(text.err())
                .containsOnlyOnce(
                        ":19:9: warning[W0201]: nothing reads the input 'mask'\n 19 |   input mask: f32[N]  //~")
                .contains("\n    |         ^^^^\n    = leave it out, or let its name start with _\n")
                .endsWith("warnings; 'remat help error W0201' explains the first\n");
        Outcome json = plan(model, "--set", "B=4,N=2,M=3,_K=1", "--json");
        assertThat(json.exit()).isZero();
        assertThat(json.out()).startsWith("{").doesNotContain("warning");
    }

    /** As ONNX, of a model without parameters. */
    private Outcome export(Path model) throws IOException {
        Path weights = folder.resolve("none.safetensors");
        SafetensorsWriter.write(weights, Map.of(), List.of());
        Path result = folder.resolve("refused.onnx");
        Outcome outcome = run(
                "export", model.toString(), "--init", weights.toString(), "--format", "onnx", "-o", result.toString());
        assertThat(result).doesNotExist();
        return outcome;
    }

    private static Outcome plan(String... arguments) {
        return run(Stream.concat(Stream.of("plan"), Stream.of(arguments)).toArray(String[]::new));
    }

    private static Outcome run(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(out, err, false, false);
        int exit = RematCommand.run(console, arguments);
        return new Outcome(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
