package dev.remat.tests.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Browser.class)
class ReportPageTest {
    private static final String HOSTILE = "</script><b>loss";
    private static final int STEPS = 40;

    @TempDir
    static Path folder;

    private static CommandPage page;

    private static String log(String name, double end) throws IOException {
        List<String> lines = new ArrayList<>(List.of("step,loss,rate,millis,memory/arena_bytes,eval/loss," + HOSTILE));
        for (int step = 1; step <= STEPS; step++) {
            String loss = step == 7 ? "NaN" : String.format(Locale.ROOT, "%.4f", end + 4.0 / step);
            lines.add(step + "," + loss + ",0.001," + (10 + step % 3) + ",1048576," + (step % 10 == 0 ? "3.25" : "")
                    + "," + step);
        }
        Path run = Files.createDirectories(folder.resolve(name));
        Files.writeString(run.resolve("steps.csv"), String.join("\n", lines) + "\n");
        return run.toString();
    }

    @BeforeAll
    static void report() throws IOException {
        Path file = folder.resolve("report.html");
        page = CommandPage.of(file, "report", log("a", 1), log("b", 2), "-o", file.toString(), "--json");
    }

    @Test
    void everyNumberIsThatOfTheJson(Chromium chromium) throws Exception {
        try (Tab tab = page.open(chromium, 1280, false)) {
            List<List<Object>> rows = CommandPage.numbers(tab, "#values");
            List<Map<?, ?>> columns = page.objects("runs").stream()
                    .flatMap(run -> CommandPage.objects(run, "columns").stream())
                    .toList();
            assertThat(rows).hasSameSizeAs(columns);
            List<String> fields = List.of(
                    "first",
                    "last",
                    "least",
                    "leastStep",
                    "greatest",
                    "greatestStep",
                    "mean",
                    "median",
                    "values",
                    "notFinite");
            for (int i = 0; i < rows.size(); i++) {
                for (int k = 0; k < fields.size(); k++) {
                    Object shown = rows.get(i).get(k);
                    Object expected = columns.get(i).get(fields.get(k));
                    assertThat(((Number) shown).doubleValue())
                            .as(fields.get(k))
                            .isEqualTo(((Number) expected).doubleValue());
                }
            }
            assertThat(tab.text("#values tbody")).contains(HOSTILE);
            assertThat(tab.value("document.querySelectorAll('b').length")).isEqualTo(0L);
            CommandPage.assertSound(tab);
        }
    }

    @Test
    void chartsShareTheirStepsAndTheirCursor(Chromium chromium) throws Exception {
        try (Tab tab = page.open(chromium, 400, true)) {
            Tab.Box loss = tab.box("#chart-loss canvas");
            tab.hover(loss.x(), loss.y());
            assertThat(tab.text(".tip")).startsWith("step ").contains("a loss", "b eval/loss");
            tab.click("#chart-loss canvas");
            tab.key("Home");
            assertThat(tab.text("#cursor")).startsWith("step 1: a loss 5,");
            for (int i = 0; i < 6; i++) {
                tab.key("ArrowRight");
            }
            assertThat(tab.text("#cursor")).startsWith("step 7: a loss no number,");
            tab.key("End");
            assertThat(tab.text("#cursor")).contains("step 40", "b loss 2.1,", "b eval/loss 3.25");
            tab.key("+");
            tab.click("#charts button[aria-pressed]");
            assertThat(tab.value("document.querySelector('#charts button[aria-pressed]').ariaPressed"))
                    .isEqualTo("true");
            CommandPage.assertSound(tab);
        }
    }
}
