package dev.remat.tests.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.samples.SampleModels;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Browser.class)
class DiffPageTest {
    private static final List<String> BYTES = List.of(
            "arenaBytes",
            "peakLiveBytes",
            "parameterBytes",
            "optimizerBytes",
            "gradientBytesAtPeak",
            "activationBytesAtPeak",
            "workspaceBytesAtPeak");

    @TempDir
    static Path folder;

    private static CommandPage page;

    @BeforeAll
    static void compare() {
        Path file = folder.resolve("diff.html");
        String gpt = SampleModels.of("gpt").path().toString();
        page = CommandPage.of(
                file,
                "diff",
                gpt,
                gpt + "@sqrt",
                "--set",
                "B=2,T=64,depth=4,width=32,heads=2",
                "--html",
                file.toString(),
                "--json");
    }

    private static long bytes(String plan, String field) {
        return (Long) ((Map<?, ?>) page.json().get(plan)).get(field);
    }

    @Test
    void everyNumberIsThatOfTheJson(Chromium chromium) throws Exception {
        try (Tab tab = page.open(chromium, 1280, false)) {
            List<List<Object>> figures = CommandPage.numbers(tab, "#figures");
            for (int i = 0; i < BYTES.size(); i++) {
                long a = bytes("a", BYTES.get(i));
                long b = bytes("b", BYTES.get(i));
                assertThat(figures.get(i)).containsExactly(a, b, b - a);
            }
            assertThat(figures.getLast().subList(0, 2)).containsExactly(bytes("a", "kernels"), bytes("b", "kernels"));
            List<Map<?, ?>> changes = page.objects("changes");
            assertThat(changes).hasSizeGreaterThan(5);
            List<List<Object>> rows = CommandPage.numbers(tab, "#changes");
            assertThat(rows).hasSize(Math.min(50, changes.size()));
            for (int i = 0; i < rows.size(); i++) {
                assertThat(rows.get(i).getFirst()).isEqualTo(changes.get(i).get("bytes"));
                assertThat(((Number) rows.get(i).getLast()).doubleValue())
                        .isEqualTo(((Number) changes.get(i).get("millis")).doubleValue());
            }
            CommandPage.assertSound(tab);
        }
    }

    @Test
    void whatIsAtThePeaksIsToldByPointerAndByKeys(Chromium chromium) throws Exception {
        try (Tab tab = page.open(chromium, 400, true)) {
            Tab.Box chart = tab.box("#peaks canvas[role=img]");
            tab.hover(chart.x() - chart.width() / 2 + 40, chart.y() - chart.height() / 2 + 40);
            assertThat(tab.text(".tip")).startsWith("Parameters");
            assertThat(tab.text(".tip").replaceAll("[^0-9]", ""))
                    .contains(String.valueOf(bytes("a", "parameterBytes")));
            tab.click("#peaks canvas[role=img]");
            tab.key("ArrowRight");
            String first = tab.text("#peaks .detail");
            tab.key("ArrowRight");
            assertThat(tab.text("#peaks .detail")).isNotEqualTo(first).contains(" in A, ");
            tab.click("#changes input[type=search]");
            tab.type("block.1.h");
            assertThat(tab.text("#changes tbody td")).isEqualTo("block.1.h");
            CommandPage.assertSound(tab);
        }
    }
}
