package dev.remat.cli.command;

import static dev.remat.cli.command.TinyModels.run;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sweep --machines} and {@code sweep --stages}. */
@Tag("slow")
class MachineSweepCommandTest {
    private static final String LINK = "1Gbit:5us";

    @TempDir
    Path folder;

    private String tiny;

    @BeforeEach
    void write() throws IOException {
        tiny = TinyModels.text(folder);
    }

    /** Whatever is left out on the way to it. */
    @Test
    void theFastestOfFourMachinesIsThatOfAllPlannedByHand() {
        CommandRun sweep = run("sweep", tiny, "--machines", "4", "--micro-batches", "4", "--link", LINK, "--json");
        assertThat(sweep.exitCode()).as(sweep.err()).isZero();
        List<String> ways = Pattern.compile("\\{[^{}]*\"stages\"[^{}]*}")
                .matcher(sweep.out())
                .results()
                .map(way -> way.group())
                .toList();
        assertThat(ways)
                .extracting(way -> number(way, "stages") + "x" + number(way, "ranks"))
                .containsExactly("1x4", "2x2", "4x1");
        String fastest = ways.stream()
                .filter(way -> way.matches("(?s).*\"fastest\"\\s*:\\s*true.*"))
                .findFirst()
                .orElseThrow();
        for (String options : new String[] {"--stages 2 --ranks 2", "--stages 4"}) {
            String[] all = (options + " --micro-batches 4 --json --link " + LINK).split(" ");
            CommandRun plan = run("plan", tiny, all);
            if (plan.exitCode() == 0) {
                assertThat(number(fastest, "cost")).as(options).isLessThanOrEqualTo(number(plan.out(), "cost"));
            } else {
                assertThat(plan.err()).contains("parts at most");
                assertThat(ways.getLast()).contains("\"parts\"");
            }
        }
        String two = ways.get(1);
        assertThat(two).containsPattern("\"(cost|leastCost)\"");
    }

    @Test
    void numbersAreThoseThatAreSaid() {
        CommandRun sweep = run("sweep", tiny, "--stages", "1,2", "--ranks", "1,2", "--micro-batches", "4");
        assertThat(sweep.exitCode()).as(sweep.err()).isZero();
        assertThat(sweep.out())
                .containsPattern("\n +1 +1 +4 +- ")
                .containsPattern("\n +1 +2 +4 +- ")
                .containsPattern("\n +2 +1 +4 +1f1b ")
                .containsPattern("\n +2 +2 +4 +1f1b ")
                .contains("  fastest: ");
    }

    @Test
    void whatFitsNoMachineIsToldOfEachWay() {
        CommandRun sweep = run(
                "sweep", tiny, "--machines", "2", "--micro-batches", "4", "--budgets", "1KiB", "--schedule", "gpipe");
        assertThat(sweep.exitCode()).as(sweep.err()).isZero();
        assertThat(sweep.out())
                .containsPattern("1 +2 +4 +- .*does not fit; a machine takes [0-9.]+ KiB")
                .containsPattern("2 +1 +4 +gpipe .*does not fit; a machine takes [0-9.]+ KiB")
                .contains("no way fits within 1.00 KiB a machine");
    }

    @Test
    void whatCannotBeSharedIsRefused() {
        refused("--machines 7", "no numbers of stages and ranks that come to 7 machines share a batch of");
        refused("--machines 1", "--machines shares a step among several, not among 1");
        refused("--schedule zb", "--schedule orders the work of stages; it needs --stages or --machines");
        refused("--machines 2 --bounds", "--machines and --stages make one plan a way and budget; --bounds");
        refused("--machines 2 --micro-batches auto", "--micro-batches takes a number here, not auto");
    }

    private void refused(String options, String why) {
        CommandRun run = run("sweep", tiny, options.split(" "));
        assertThat(run.exitCode()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).contains(why);
    }

    private static long number(String json, String field) {
        Matcher found = Pattern.compile("\"" + field + "\"\\s*:\\s*([0-9]+)").matcher(json);
        assertThat(found.find()).as(json).isTrue();
        return Long.parseLong(found.group(1));
    }
}
