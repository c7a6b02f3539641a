package dev.remat.tests.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.samples.SampleModels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Browser.class)
@Tag("slow")
class SweepPageTest {
    @TempDir
    static Path folder;

    private static CommandPage page;

    @BeforeAll
    static void sweep() {
        Path file = folder.resolve("sweep.html");
        page = CommandPage.of(
                file,
                "sweep",
                SampleModels.of("gpt").path().toString(),
                "--set",
                "B=2,T=64,depth=2,width=32,heads=2",
                "--budgets",
                "90%,75%,10%",
                "--strategies",
                "auto,sqrt,min-cut",
                "--html",
                file.toString(),
                "--json");
    }

    @Test
    void everyNumberIsThatOfTheJson(Chromium chromium) throws Exception {
        try (Tab tab = page.open(chromium, 1280, false)) {
            for (String fact : List.of("keepAllBytes", "smallestFoundBytes", "floorBytes")) {
                assertThat(tab.value("[...document.querySelectorAll('[data-fact]')].map((fact) => fact.title).join()"))
                        .asString()
                        .contains(page.json().get(fact).toString());
            }
            List<List<Object>> budgets = CommandPage.numbers(tab, "#budgets");
            List<Map<?, ?>> expected = page.objects("budgets");
            assertThat(budgets).hasSameSizeAs(expected);
            for (int i = 0; i < expected.size(); i++) {
                assertThat(budgets.get(i).getFirst()).isEqualTo(expected.get(i).get("budgetBytes"));
                assertThat(number(budgets.get(i).getLast()))
                        .isEqualTo(number(expected.get(i).get("lowerBoundOverhead")));
                Map<?, ?> auto = CommandPage.objects(expected.get(i), "plans").getFirst();
                assertThat(number(budgets.get(i).get(1))).isEqualTo(number(auto.get("overhead")));
            }
            assertThat(budgets.getLast().subList(1, 3))
                    .as("nothing fits a tenth")
                    .containsOnlyNulls();
            List<List<Object>> plans = CommandPage.numbers(tab, "#plans");
            for (Map<?, ?> point : page.objects("frontier")) {
                assertThat(plans)
                        .anyMatch(plan -> plan.getFirst().equals(point.get("bytes"))
                                && plan.getLast().equals(point.get("cost"))
                                && ((Number) plan.get(2)).doubleValue()
                                        == ((Number) point.get("overhead")).doubleValue());
            }
            CommandPage.assertSound(tab);
        }
    }

    private static Double number(Object value) {
        return value == null ? null : ((Number) value).doubleValue();
    }

    @Test
    void plansAreToldByPointerAndByKeys(Chromium chromium) throws Exception {
        try (Tab tab = page.open(chromium, 400, true)) {
            tab.click("#frontier canvas[role=img]");
            tab.key("Home");
            assertThat(tab.text("#plan")).startsWith("keep-all takes").contains("proven");
            List<String> told = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                tab.key("ArrowLeft");
                told.add(tab.text("#plan"));
            }
            assertThat(told).doesNotHaveDuplicates();
            tab.key("End");
            String smallest = tab.text("#plan");
            assertThat(smallest.replaceAll("[^0-9]", ""))
                    .contains(page.json().get("smallestFoundBytes").toString());
            tab.click("#frontier button[aria-pressed]");
            assertThat(tab.value("document.querySelector('#frontier button').getAttribute('aria-pressed')"))
                    .isEqualTo("true");
            sweepThePointer(tab);
            CommandPage.assertSound(tab);
        }
    }

    /** Somewhere on the way from one corner to the other a plan is met. */
    private static void sweepThePointer(Tab tab) {
        Tab.Box plot = tab.box("#frontier canvas[role=img]");
        String met = "";
        for (int i = 0; i < 40 && met.isEmpty(); i++) {
            double share = i / 40.0 - 0.5;
            tab.hover(plot.x() + share * plot.width() * 0.8, plot.y() + plot.height() * 0.35 * (share < 0 ? 0.2 : 1.1));
            met = (String) tab.value("document.querySelector('.tip:not([hidden])')?.textContent ?? ''");
        }
        assertThat(met).contains("of keeping all");
    }

    /** A page of its own: a mark for each link and budget, which keys go through, and all of them in the table. */
    @Test
    void ratesOfALinkAreDrawn(Chromium chromium) throws Exception {
        Path file = folder.resolve("rates.html");
        CommandPage rates = CommandPage.of(
                file,
                "sweep",
                SampleModels.of("gpt").path().toString(),
                "--set",
                "B=2,T=64,depth=2,width=32,heads=2",
                "--budgets",
                "90%,75%",
                "--strategies",
                "offload-activations",
                "--host-budget",
                "1GiB",
                "--rates",
                "5GB/s,20GB/s:10GB/s:1us",
                "--html",
                file.toString(),
                "--json");
        for (int width : List.of(1280, 400)) {
            try (Tab tab = rates.open(chromium, width, width == 400)) {
                tab.click("#rates canvas[role=img]");
                tab.key("Home");
                assertThat(tab.text("#plan")).startsWith("5 GB/s: within ").contains("; without moving ");
                tab.key("End");
                assertThat(tab.text("#plan")).startsWith("20 GB/s out, 10 GB/s in, 1 µs: within ");
                List<Object> overheads = new ArrayList<>();
                rates.objects("still").forEach(plan -> overheads.add(plan.get("overhead")));
                for (Map<?, ?> link : rates.objects("rates")) {
                    CommandPage.objects(link, "plans").forEach(plan -> overheads.add(plan.get("overhead")));
                }
                assertThat(CommandPage.numbers(tab, "#plans").stream()
                                .map(row -> number(row.get(2)))
                                .toList())
                        .isEqualTo(overheads.stream().map(SweepPageTest::number).toList());
                CommandPage.assertSound(tab);
            }
        }
    }

    @Test
    void thePageIsInOneSmallFile() throws Exception {
        assertThat(Files.size(page.file())).isLessThan(1 << 20);
    }
}
