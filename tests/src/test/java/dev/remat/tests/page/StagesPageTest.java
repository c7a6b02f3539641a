package dev.remat.tests.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.samples.SampleModels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The page of a step in stages. */
@ExtendWith(Browser.class)
class StagesPageTest {
    private static final String LANES = "canvas[aria-label='Stages by the clock']";
    private static final double TOP = 16;
    private static final double ROW = 52;

    @TempDir
    static Path folder;

    private static CommandPage plan(String name, String... more) {
        Path file = folder.resolve(name);
        List<String> words = new ArrayList<>(List.of(
                "plan",
                SampleModels.of("gpt").path().toString(),
                "--set",
                "B=4,T=16,depth=2,width=32,heads=2,vocab=64",
                "--micro-batches",
                "4",
                "--stages",
                "2",
                "--link",
                "100Mbit:10us",
                "--html",
                file.toString(),
                "--json"));
        words.addAll(List.of(more));
        return CommandPage.of(file, words.toArray(String[]::new));
    }

    /** In the order of 1F1B (Narayanan et al., 2019): the first of two stages is one micro-batch ahead. */
    @Test
    void keysGoThroughTheVisitsOfAScheduleAndTheTilesAreTheReport(Chromium chromium) throws Exception {
        CommandPage page = plan("stages.html", "--strategy", "pipe-always");
        try (Tab tab = page.open(chromium, 1280, false)) {
            assertThat(exact(tab, "one step")).isEqualTo(number(page.json().get("cost")));
            assertThat(exact(tab, "bubble")).isEqualTo(number(page.json().get("bubble")));
            double waited = page.objects("stages").stream()
                    .mapToDouble(stage -> (Long) stage.get("waited"))
                    .sum();
            assertThat(exact(tab, "waits")).isEqualTo(waited).isPositive();
            assertThat(exact(tab, "computed again")).isPositive();

            tab.value("document.querySelector(\"" + LANES + "\").focus()");
            tab.key("Home");
            List<String> visits = new ArrayList<>();
            for (int k = 0; k < 20; k++) {
                String words = tab.text("[data-stages=words]");
                assertThat(tab.value("'At ' + document.activeElement.ariaValueText + '.'"))
                        .isEqualTo(words);
                String visit = words.replaceAll("At stage 0, (.*?): .*", "$1");
                if (visits.isEmpty() || !visits.getLast().equals(visit)) {
                    visits.add(visit);
                }
                tab.key("ArrowRight");
            }
            assertThat(visits)
                    .filteredOn(visit -> !visit.equals("of the whole step"))
                    .containsExactly(
                            "forward 0",
                            "forward 1",
                            "backward 0",
                            "forward 2",
                            "backward 1",
                            "forward 3",
                            "backward 2",
                            "backward 3");
            tab.key("ArrowDown");
            assertThat(tab.text("[data-stages=words]")).startsWith("At stage 1, ");
            CommandPage.assertSound(tab);
        }
        try (Tab tab = page.open(chromium, 400, true)) {
            CommandPage.assertSound(tab);
        }
    }

    @Test
    void lanesTellKernelsAndWaitsWithTheStageThatSends(Chromium chromium) throws Exception {
        CommandPage page = plan("lanes.html", "--schedule", "zb");
        try (Tab tab = page.open(chromium, 1280, true)) {
            Tab.Box lanes = tab.box(LANES);
            List<String> tips = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                double row = lanes.y() - lanes.height() / 2 + TOP + i % 2 * ROW + 15;
                tab.hover(lanes.x() - lanes.width() / 2 + 74 + (lanes.width() - 88) * (i + 0.5) / 60, row);
                tips.add(tab.text(".tip"));
            }
            assertThat(tips)
                    .anyMatch(tip -> tip.startsWith("stage 0, forward "))
                    .anyMatch(tip -> tip.startsWith("stage 1, backward ") && tip.contains(" in memory"))
                    .anyMatch(tip -> tip.startsWith("stage 0, weight gradients "))
                    .anyMatch(tip -> tip.startsWith("stage 1 waits ") && tip.contains("which stage 0 sends"));
            Tab.Box arena = tab.box("canvas[aria-label='The arena of stage 1']");
            tab.hover(arena.x(), arena.y() + arena.height() / 2 - 42);
            assertThat(tab.text(".tip")).contains("parameter");

            assertThat((String) tab.value("document.querySelector('.legend').textContent"))
                    .contains("weights")
                    .doesNotContain("again");
            tab.click("#visits tbody tr:nth-child(3) button");
            assertThat(tab.text("[data-stages=words]"))
                    .startsWith("At stage 0, ")
                    .contains("in memory at most");
            assertThat(tab.value("document.querySelectorAll('#visits tr[aria-current]').length"))
                    .isEqualTo(1L);
            CommandPage.assertSound(tab);
        }
    }

    @Test
    void whatRanksExchangeLiesBelowTheLaneOfItsStage(Chromium chromium) throws Exception {
        CommandPage page = plan("ranks.html", "--ranks", "2");
        try (Tab tab = page.open(chromium, 1280, false)) {
            assertThat((String) tab.value("document.querySelector('.legend').textContent"))
                    .contains("exchanges");
            Tab.Box lanes = tab.box(LANES);
            List<String> tips = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                double strip = lanes.y() - lanes.height() / 2 + TOP + 34;
                tab.hover(lanes.x() - lanes.width() / 2 + 74 + (lanes.width() - 88) * (i + 0.5) / 30, strip);
                tips.add(tab.text(".tip"));
            }
            assertThat(tips).anyMatch(tip -> tip.startsWith("stage 0 of all ranks exchanges"));
            assertThat(tab.text("[data-fact=waits]")).contains("for other ranks");
            assertThat(CommandPage.numbers(tab, "#exchanges")).isNotEmpty();
            CommandPage.assertSound(tab);
        }
    }

    /** What a stage has in its arena is drawn within it, and every message arrives when both ends are there. */
    @Test
    void messagesArriveWhenBothEndsHaveBegun(Chromium chromium) throws Exception {
        CommandPage page = plan("messages.html");
        try (Tab tab = page.open(chromium, 1280, false)) {
            tab.value("document.querySelector('#messages').scrollIntoView()");
            List<List<Object>> rows = CommandPage.numbers(tab, "#messages");
            assertThat(rows).isNotEmpty().allSatisfy(row -> {
                double there = number(row.get(3));
                double room = number(row.get(4));
                double took = number(row.get(5)) - Math.max(there, room);
                // 12.5 bytes a microsecond, and 10 of latency.
                assertThat(took).isGreaterThanOrEqualTo(10_000 + number(row.get(2)) * 80 - 1);
            });
            Map<?, ?> data = page.data();
            assertThat((List<?>) data.get("stages")).hasSize(2);
            CommandPage.assertSound(tab);
        }
    }

    private static double number(Object cell) {
        return ((Number) cell).doubleValue();
    }

    private static double exact(Tab tab, String fact) {
        return number(tab.value("Number(document.querySelector(\"[data-fact='" + fact + "']\").title)"));
    }
}
