package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.Version;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Building and inspecting artifacts; neither driver nor GPU is there. */
class BuildCommandTest {
    private static final String MODEL = """
        remat 1

        model Line(width: int = 8) {
          symbol B
          input x: f32[B, width]
          input y: f32[B, 4]

          loss = mse(relu(linear(x, 4) as fit), y)
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    @TempDir
    static Path folder;

    private static Path built;

    private static CommandRun build(Path home, Path output, String... more) throws IOException {
        Files.createDirectories(home);
        List<String> words = new ArrayList<>(List.of(
                "build",
                TinyModels.write(home, "line.model", MODEL),
                "--set",
                "B=3,width=5",
                "-o",
                output.toString(),
                "--arch",
                "sm_80,sm_90a"));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    @BeforeAll
    static void buildOnce() throws IOException {
        built = folder.resolve("built");
        CommandRun run = build(folder.resolve("a"), built, "--c-abi");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains(
                        "Line with B=3, width=5, planned for sm_80, sm_90a by keep-all",
                        "arena",
                        "kernels",
                        "registers",
                        "no spills",
                        "built in " + built)
                .doesNotContain("\u001b");
    }

    private static Map<String, String> contents(Path place) throws IOException {
        Map<String, String> contents = new LinkedHashMap<>();
        try (Stream<Path> files = Files.list(place)) {
            for (Path file : files.sorted().toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return contents;
    }

    @Test
    void theSameBytesComeFromAnotherFolder() throws IOException {
        Path other = folder.resolve("elsewhere/other");
        assertThat(build(folder.resolve("elsewhere/b"), other, "--c-abi").exitCode())
                .isZero();
        assertThat(contents(other)).isEqualTo(contents(built)).containsKeys("manifest.json", "step.cc");
    }

    @Test
    void otherSettingsGiveAnotherArtifact() throws IOException {
        Path place = folder.resolve("replaced");
        assertThat(build(folder.resolve("a"), place).exitCode()).isZero();
        Map<String, String> first = contents(place);
        assertThat(first).doesNotContainKey("step.cc");
        assertThat(build(folder.resolve("a"), place, "--set", "B=4").exitCode()).isZero();
        assertThat(contents(place).get("plan.json")).isNotEqualTo(first.get("plan.json"));
        assertThat(contents(place).get("kernels.cu")).isEqualTo(first.get("kernels.cu"));
    }

    @Test
    void jsonTellsWhatWasBuilt() throws IOException {
        CommandRun run = build(folder.resolve("a"), folder.resolve("json"), "--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains(
                        "\"schema\": \"remat-build/1\"",
                        "\"name\": \"sm_90a\"",
                        "\"mostRegisters\": ",
                        "\"compile\": ");
    }

    @Test
    void inspectShowsKernelsAndFiles() {
        CommandRun run = CommandRun.of("inspect", built.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains(
                        "Line with B=3, width=5",
                        "Kernel on sm_80",
                        "Kernel on sm_90a",
                        "gemm",
                        "kernels.sm_90a.cubin",
                        "every file is what was built");
        CommandRun json = CommandRun.of("inspect", built.toString(), "--json");
        assertThat(json.exitCode()).isZero();
        assertThat(json.out())
                .contains("\"schema\": \"remat-inspect/1\"", "\"flopsShare\": ", "\"B\": \"3\"")
                .doesNotContain("microBatches", "\"sections\"");
    }

    @Test
    void inspectPredictsTimesWhereThereIsAModel() {
        String text = CommandRun.of("inspect", built.toString()).out();
        assertThat(text)
                .contains("Step on sm_90a: ms predicted by sass:sm_90a for an h100, not measured\n", "Step on sm_80\n")
                .containsOnlyOnce("  between them");
        String json = CommandRun.of("inspect", built.toString(), "--json").out();
        assertThat(json)
                .containsOnlyOnce("\"predicted\": null")
                .containsOnlyOnce("\"model\": \"sass:sm_90a\"")
                .contains("\"predictedMillis\": null", "\"name\": \"products\"", "\"tensorBytes\": ");
    }

    @Test
    void predictedTimesArePlannedWith() throws IOException {
        Path costs = folder.resolve("predicted.json");
        CommandRun run = CommandRun.of("inspect", built.toString(), "--costs-out", costs.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        Path cubin = built.resolve("kernels.sm_90a.cubin");
        CommandRun itself = CommandRun.of("inspect", built.toString(), "--costs-out", cubin.toString());
        assertThat(itself.exitCode()).isEqualTo(2);
        assertThat(itself.err()).contains("is what is read and would be replaced");
        String model = folder.resolve("a/line.model").toString();
        String[] plan = {"plan", model, "--set", "B=3,width=5", "--costs", costs.toString(), "--target"};
        CommandRun planned = CommandRun.of(with(plan, "sm_90a"));
        assertThat(planned.exitCode()).as(planned.err()).isZero();
        assertThat(planned.out()).contains("by sass:sm_90a:predicted.json").doesNotContain("measured");
        CommandRun other = CommandRun.of(with(plan, "cpu"));
        assertThat(other.exitCode()).isEqualTo(2);
        assertThat(other.err()).contains("was predicted for sm_90a, not for cpu");
    }

    private static String[] with(String[] command, String last) {
        String[] all = Arrays.copyOf(command, command.length + 1);
        all[command.length] = last;
        return all;
    }

    @Test
    void timesAreNotPredictedForOtherArchitectures() throws IOException {
        Path place = folder.resolve("ampere");
        CommandRun ampere = CommandRun.of(
                "build",
                folder.resolve("a/line.model").toString(),
                "--set",
                "B=3,width=5",
                "--arch",
                "sm_80",
                "-o",
                place.toString());
        assertThat(ampere.exitCode()).as(ampere.err()).isZero();
        Path costs = folder.resolve("none.json");
        CommandRun run = CommandRun.of("inspect", place.toString(), "--costs-out", costs.toString());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("times are predicted for sm_90a alone", "was built for sm_80");
        assertThat(costs).doesNotExist();
    }

    @Test
    void inspectRefusesWhatIsCorruptOrNewer() throws IOException {
        Path place = folder.resolve("corrupt");
        assertThat(build(folder.resolve("a"), place).exitCode()).isZero();
        Path cubin = place.resolve("kernels.sm_80.cubin");
        byte[] bytes = Files.readAllBytes(cubin);
        bytes[bytes.length / 2] ^= 1;
        Files.write(cubin, bytes);
        CommandRun corrupt = CommandRun.of("inspect", place.toString());
        assertThat(corrupt.exitCode()).isEqualTo(8);
        assertThat(corrupt.err()).contains(cubin.toString(), "its content is not what was built", "remat build");
        assertThat(corrupt.out()).isEmpty();

        Path manifest = place.resolve("manifest.json");
        Files.writeString(manifest, Files.readString(manifest).replace("remat-artifact/1", "remat-artifact/2"));
        CommandRun newer = CommandRun.of("inspect", place.toString());
        assertThat(newer.exitCode()).isEqualTo(8);
        assertThat(newer.err()).contains("newer than this remat", "use a newer remat");

        assertThat(CommandRun.of("inspect", folder.resolve("a").toString()).exitCode())
                .isEqualTo(8);
        assertThat(CommandRun.of("inspect", folder.resolve("none").toString()).exitCode())
                .isEqualTo(2);
    }

    @Test
    void whatIsNoArtifactIsNotReplaced() throws IOException {
        CommandRun run = build(folder.resolve("a"), folder.resolve("a"));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("line.model", "is not replaced", "choose another folder");
        assertThat(folder.resolve("a/line.model")).exists();
    }

    @Test
    void aPlaceThatTakesNoArtifactIsRefusedBeforeTheModelIsRead() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "mine");
        CommandRun run = CommandRun.of(
                "build",
                folder.resolve("none.model").toString(),
                "--arch",
                "sm_80",
                "-o",
                file.resolve("new/artifact").toString());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("remat: " + file + ": is a file, not a folder\n");
        assertThat(file).hasContent("mine");
    }

    @Test
    void architecturesAreChecked() throws IOException {
        CommandRun unknown = build(folder.resolve("a"), folder.resolve("x"), "--arch", "sm_1");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).contains("unknown architecture 'sm_1'", "sm_80", "sm_100a");
        CommandRun twice = build(folder.resolve("a"), folder.resolve("x"), "--arch", "sm_80");
        assertThat(twice.exitCode()).isEqualTo(2);
        assertThat(twice.err()).contains("twice");
        assertThat(folder.resolve("x")).doesNotExist();
    }

    @Test
    void theVersionIsThatOfTheBuild() throws IOException {
        assertThat(Files.readString(Path.of("pom.xml"))).contains("<version>" + Version.REMAT + "</version>");
    }
}
