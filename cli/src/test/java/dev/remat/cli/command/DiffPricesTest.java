package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What two plans would come to with another decision about a tensor. */
class DiffPricesTest {
    private static final List<String> SETTINGS = List.of("--set", "B=16,T=32,width=64,depth=4");
    private static final List<String> TIER = List.of("--host-budget", "1GiB", "--host-rates", "20GB/s:20GB/s:1us");

    @TempDir
    Path folder;

    private String model;

    @BeforeEach
    void write() throws IOException {
        model = TinyModels.text(folder);
    }

    private static CommandRun run(List<String> options, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(SETTINGS);
        all.addAll(options);
        CommandRun run = CommandRun.of(all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run;
    }

    /** The prices are those that explain tells. */
    @Test
    void whatOnePlanKeepsAndTheOtherRecomputesIsPriced() throws IOException {
        String text =
                run(List.of(), "diff", model + "@keep-all", model + "@sqrt").out();
        assertThat(text)
                .contains("What deciding otherwise would come to")
                .containsPattern("if dropped [+][0-9.]+ ms +if kept -[0-9.]+ ms");
        assertThat(text.lines()).allMatch(line -> line.length() <= 80);
        String json = run(List.of("--json"), "diff", model + "@keep-all", model + "@sqrt")
                .out();
        Map<String, String> last = JsonFields.of(json);
        assertThat(last).containsKeys("changes.a.ifDropped.peakBytes", "changes.b.ifKept.cost");
        assertPriced(last, "a.ifDropped", List.of("--strategy", "keep-all"), "price");
        assertPriced(last, "b.ifKept", List.of("--strategy", "sqrt"), "price");
    }

    @Test
    @Tag("slow")
    void whatIsMovedIsPricedBothWays() throws IOException {
        List<String> moving = new ArrayList<>(TIER);
        moving.addAll(List.of("--offload", "activations"));
        List<String> options = new ArrayList<>(moving);
        options.add("--json");
        String still = Files.writeString(
                        folder.resolve("still.json"),
                        run(List.of("--json", "--strategy", "keep-all"), "plan", model)
                                .out())
                .toString();
        Map<String, String> last = JsonFields.of(
                run(options, "diff", still, model + "@offload-activations").out());
        moving.addAll(List.of("--strategy", "offload-activations"));
        assertPriced(last, "b.ifKept", moving, "price");
        assertPriced(last, "b.ifDropped", moving, "recomputedInstead");
        assertThat(last).doesNotContainKey("changes.a.ifDropped.cost");
    }

    /** Of the last tensor that differs. */
    private void assertPriced(Map<String, String> diff, String field, List<String> options, String price)
            throws IOException {
        List<String> all = new ArrayList<>(options);
        all.add("--json");
        Map<String, String> explained = JsonFields.of(
                run(all, "explain", model, diff.get("changes.value")).out());
        for (String part : List.of("cost", "millis", "peakBytes")) {
            assertThat(diff.get("changes." + field + "." + part))
                    .isNotNull()
                    .isEqualTo(explained.get("values." + price + "." + part));
        }
    }

    /** Nothing but its report is known of a plan in a file. */
    @Test
    void plansInFilesHaveNoPrices() throws IOException {
        List<String> files = new ArrayList<>();
        for (String strategy : List.of("keep-all", "sqrt")) {
            files.add(Files.writeString(
                            folder.resolve(strategy + ".json"),
                            run(List.of("--json", "--strategy", strategy), "plan", model)
                                    .out())
                    .toString());
        }
        assertThat(run(List.of(), "diff", files.get(0), files.get(1)).out())
                .contains("Kept or recomputed otherwise")
                .doesNotContain("if kept", "What deciding otherwise");
    }
}
