package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code fit} where logits bind: with losses in chunks more rows fit, and it says how many without. */
class FitChunksTest {
    private static final String BUDGET = "12MiB";

    @TempDir
    Path folder;

    private String wide;

    @BeforeEach
    void write() throws IOException {
        wide = model(32, 2057);
    }

    private String model(int width, int classes) throws IOException {
        return Files.writeString(folder.resolve("m" + width + ".model"), """
            remat 1

            model M {
              symbol B
              input x: f32[B, %d]
              input labels: i32[B]
              loss = cross_entropy(linear(x, %d, bias = false) as head, labels)
            }

            train { minimize loss; optimizer sgd(lr = 0.1) }
            """.formatted(width, classes))
                .toString();
    }

    private static CommandRun run(String command, String model, String... options) {
        List<String> words = new ArrayList<>(List.of(command, model, "--budget", BUDGET));
        words.addAll(List.of(options));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private static Map<String, String> fit(String model, String chunks) throws IOException {
        CommandRun run = run("fit", model, "--json", "--chunks", chunks);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return JsonFields.of(run.out());
    }

    private static long extent(Map<String, String> fit) {
        return Long.parseLong(fit.get("extent"));
    }

    @Test
    void moreFitsInChunksAsPlanSaysToo() throws IOException {
        Map<String, String> auto = fit(wide, "auto");
        long off = extent(fit(wide, "off"));
        long most = extent(auto);
        assertThat(Integer.parseInt(auto.get("chunks.count"))).isGreaterThan(1);
        assertThat(auto.get("chunks.rows")).isEqualTo(String.valueOf(most));
        assertThat(run("plan", wide, "--set", "B=" + most).exitCode()).isZero();
        assertThat(run("plan", wide, "--set", "B=" + most, "--chunks", "off").exitCode())
                .isEqualTo(4);
        long next = most + 1;
        Map<String, String> whole =
                JsonFields.of(CommandRun.of("plan", wide, "--set", "B=" + next, "--chunks", "off", "--json")
                        .out());
        assertThat(auto).containsEntry("next.floorBytesOfWhole", whole.get("memory.floorBytes"));
        long ofWhole = Long.parseLong(auto.get("largestOfWhole"));
        assertThat(ofWhole).isBetween(off, most - 1);
        assertThat(floorFits(ofWhole)).isTrue();
        assertThat(floorFits(ofWhole + 1)).isFalse();
    }

    private boolean floorFits(long extent) throws IOException {
        Map<String, String> plan =
                JsonFields.of(CommandRun.of("plan", wide, "--set", "B=" + extent, "--chunks", "off", "--json")
                        .out());
        return Long.parseLong(plan.get("memory.floorBytes")) <= 12 << 20;
    }

    @Test
    void whatIsSaidTellsChunksAndWholeLosses() {
        assertThat(run("fit", wide).out())
                .containsPattern("chunks +\\S+ \\S+  at a time of \\S+ \\S+, in \\d+ chunks of rows: head")
                .containsPattern("whole losses +B=\\d+  could fit without chunks, where B=\\d+ needs\n"
                        + " +at least \\S+ MiB, for computing grad.head.weight");
        assertThat(run("fit", wide, "--chunks", "off").out()).doesNotContain("chunks of rows", "whole losses");
    }

    /** Logits of four classes are little beside 256 columns: the answer is that without chunks. */
    @Test
    void aNarrowHeadIsNotCut() throws IOException {
        String narrow = model(256, 4);
        Map<String, String> auto = fit(narrow, "auto");
        Map<String, String> off = fit(narrow, "off");
        assertThat(auto.keySet()).noneMatch(field -> field.startsWith("chunks") || field.endsWith("OfWhole"));
        assertThat(auto).containsEntry("extent", off.get("extent")).containsEntry("planHash", off.get("planHash"));
    }

    @Test
    void aNumberForALossThatIsNotCutIsRefused() throws IOException {
        String biased = Files.writeString(
                        folder.resolve("b.model"),
                        Files.readString(Path.of(wide))
                                .replace(
                                        "cross_entropy(linear(x, 2057, bias = false) as head, labels)",
                                        "mean(linear(x, 3))"))
                .toString();
        CommandRun run = run("fit", biased, "--chunks", "4");
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains("E0505");
    }
}
