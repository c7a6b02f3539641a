package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.artifact.ContentHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An artifact is explained and compared as the plan that it was built of. */
@Tag("slow")
class ArtifactViewTest {
    private static final String LAYERS = """
        remat 1

        layer Mix(x, width, drop) {
          return x + dropout(linear(layer_norm(x), width) as mix |> gelu, drop)
        }
        """;
    private static final String MODEL = """
        remat 1

        include "lib/layers.model"

        model Tiny(width: int = 8, depth: int = 3, drop: float = 0.25) {
          symbol B, T
          input tokens: i32[B, T]
          input targets: i32[B, T]

          x = embedding(tokens, 256, width) as table
          repeat depth {
            x = Mix(x, width, drop) as block
          }
          loss = cross_entropy(linear(x, 8) as out, targets)
        }

        train {
          minimize loss
          optimizer adamw(lr = 1e-2)
          seed 3
        }
        """;

    @TempDir
    static Path folder;

    private static String model;
    private static String costs;
    private static Path budgeted;
    private static Path strategic;

    @BeforeAll
    static void buildTwo() throws IOException {
        Files.createDirectories(folder.resolve("m/lib"));
        Files.writeString(folder.resolve("m/lib/layers.model"), LAYERS);
        model = TinyModels.write(folder.resolve("m"), "tiny.model", MODEL);
        costs = Files.writeString(
                        folder.resolve("device.json"),
                        "{\"format\":\"remat-device/1\",\"name\":\"mine\",\"flopsPerSecond\":{\"f32\":6.1e13},"
                                + "\"bytesPerSecond\":1.37e12,\"launchNanos\":700}")
                .toString();
        budgeted = folder.resolve("budgeted");
        run(command("build", "-o", budgeted.toString(), "--budget", "80%", "--seed", "8", "--precision", "bf16"));
        strategic = folder.resolve("strategic");
        run(command("build", "-o", strategic.toString(), "--strategy", "sqrt", "--costs", costs));
    }

    /** A command on the model with the settings of both artifacts. */
    private static List<String> command(String name, String... more) {
        List<String> words = new ArrayList<>(List.of(name, model));
        List<String> options = List.of(more);
        words.addAll(options);
        words.addAll(List.of("--set", "B=64,T=16,depth=8", name.equals("build") ? "--arch" : "--target", "sm_80"));
        if (options.contains("--precision")) {
            words.addAll(List.of("--effort", "quick"));
        }
        return words;
    }

    private static String run(List<String> words) {
        CommandRun run = CommandRun.of(words.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    private static String run(String... words) {
        return run(List.of(words));
    }

    /** The same text, wherever its lines break, with files named from the model's folder. */
    private static String relative(String text) {
        return text.replace(folder.resolve("m") + "/", "").replaceAll("\\s+", " ");
    }

    @Test
    void everythingIsSaidOfAnArtifactThatIsSaidOfItsPlan() {
        for (boolean json : new boolean[] {true, false}) {
            List<String> values = new ArrayList<>(List.of("block.2.mix.add", "tiny.model:10", "layers.model:4"));
            if (json) {
                values.add("--json");
            }
            List<String> planned = command("explain", "--strategy", "sqrt", "--costs", costs);
            planned.addAll(2, values);
            List<String> built = new ArrayList<>(List.of("explain", strategic.toString()));
            built.addAll(values);
            assertThat(relative(run(built))).isEqualTo(relative(run(planned))).contains("lib/layers.model:4:");
        }
        List<String> peak =
                command("explain", "--peak", "--json", "--budget", "80%", "--seed", "8", "--precision", "bf16");
        assertThat(relative(run("explain", budgeted.toString(), "--peak", "--json")))
                .isEqualTo(relative(run(peak)));
    }

    @Test
    void anArtifactIsComparedWithAnotherAndWithAPlan() throws IOException {
        Map<String, String> diff = JsonFields.of(run("diff", budgeted.toString(), strategic.toString(), "--json"));
        Map<String, String> first =
                JsonFields.of(run(command("plan", "--json", "--budget", "80%", "--seed", "8", "--precision", "bf16")));
        Map<String, String> second =
                JsonFields.of(run(command("plan", "--json", "--strategy", "sqrt", "--costs", costs)));
        for (String field : List.of("arenaBytes", "peakLiveBytes", "parameterBytes")) {
            assertThat(diff)
                    .containsEntry("a." + field, first.get("memory." + field))
                    .containsEntry("b." + field, second.get("memory." + field));
        }
        assertThat(diff)
                .containsEntry("a.budgetBytes", first.get("budgetBytes"))
                .containsEntry("a.strategy", first.get("strategy"))
                .containsEntry("b.costModel", "roofline:mine")
                .containsEntry("b.estimatedMillis", second.get("compute.estimatedMillis"));
        List<String> itself = command("diff", "--costs", costs);
        itself.set(1, strategic.toString());
        itself.add(2, model + "@sqrt");
        assertThat(run(itself)).contains("Both keep and recompute the same tensors");
    }

    @Test
    void whatIsDecidedCannotBeAskedAgain() {
        CommandRun options = CommandRun.of("explain", budgeted.toString(), "--peak", "--budget", "70%");
        assertThat(options.exitCode()).isEqualTo(2);
        assertThat(options.err()).contains("--budget needs a model file");
        CommandRun other = CommandRun.of("diff", budgeted + "@sqrt", budgeted.toString());
        assertThat(other.exitCode()).isEqualTo(2);
        assertThat(other.err()).contains("asks for another plan of an artifact");
        CommandRun both = CommandRun.of("diff", budgeted.toString(), strategic.toString(), "--target", "cpu");
        assertThat(both.exitCode()).isEqualTo(2);
        assertThat(both.err()).contains("--target needs a model file");
    }

    /** What earlier versions built has no recipe; what others built may not suit the sequence or the plan. */
    @Test
    void anArtifactOfAnotherVersionIsToBeBuiltAgain() throws IOException {
        Path old = copy("old");
        Path manifest = old.resolve("manifest.json");
        Files.writeString(
                manifest,
                Files.readString(manifest).replaceFirst("(?s),\\s*\\{\\s*\"name\": \"recipe.json\"[^}]*\\}", ""));
        refused(old, "lacks recipe.json", "as earlier versions built it", "build it again with 'remat build'");
        assertThat(CommandRun.of("inspect", old.toString()).exitCode())
                .as("still good for everything else")
                .isZero();

        refused(changed("sequence", "sequence.json", "unit:1\"", "unit:999999\""), "planned otherwise than this one");
        refused(changed("model", "source-0.model", "Mix(x", "Nix(x"), "planned otherwise than this one");
        refused(changed("settings", "source-0.model", "lr = 1e-2", "lr = 2e-2"), "planned otherwise than this one");
        refused(changed("newer", "recipe.json", "remat-recipe/1", "remat-recipe/2"), "recipe.json", "remat-recipe/2");
        refused(changed("costs", "costs.json", "remat-device/1", "remat-divice/1"), "recipe.json", "costs.json");
    }

    private static void refused(Path artifact, String... words) {
        CommandRun run = CommandRun.of("explain", artifact.toString(), "out.add");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(8);
        assertThat(run.err()).contains(words).doesNotContain("\tat ");
        assertThat(CommandRun.of("diff", artifact.toString(), artifact.toString())
                        .exitCode())
                .isEqualTo(8);
    }

    private static Path copy(String name) throws IOException {
        Path copy = Files.createDirectories(folder.resolve(name));
        try (Stream<Path> files = Files.list(strategic)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    /** An artifact with another file, which its manifest lists. */
    private static Path changed(String name, String file, String text, String replacement) throws IOException {
        Path copy = copy(name);
        String before = Files.readString(copy.resolve(file));
        String after = before.replaceFirst(Pattern.quote(text), replacement);
        assertThat(after).isNotEqualTo(before);
        Files.writeString(copy.resolve(file), after);
        Path manifest = copy.resolve("manifest.json");
        String listed = Files.readString(manifest)
                .replace(hash(before), hash(after))
                .replaceFirst(
                        "(\"name\": \"" + file + "\",\\s*\"bytes\": )\\d+",
                        "$1" + after.getBytes(StandardCharsets.UTF_8).length);
        Files.writeString(manifest, listed);
        return copy;
    }

    private static String hash(String text) {
        return ContentHash.of(text.getBytes(StandardCharsets.UTF_8));
    }
}
