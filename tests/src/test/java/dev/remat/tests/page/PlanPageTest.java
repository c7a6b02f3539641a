package dev.remat.tests.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of {@code plan --html}, in a browser. */
@Tag("slow")
class PlanPageTest {
    private static final long LARGEST = 10_000_000;
    private static final String ARENA = "canvas[aria-label^='The arena']";
    private static final String MEMORY = "canvas[aria-label='Memory over the step']";
    private static final String WHY = "[data-why=name]";

    @TempDir
    static Path folder;

    private static Chromium chromium;

    @BeforeAll
    static void startBrowser() throws Exception {
        assumeTrue(Chromium.installed().isPresent(), "Chromium is not installed, so no page is looked at");
        chromium = Chromium.start(Chromium.installed().orElseThrow(), Files.createDirectory(folder.resolve("profile")));
    }

    @AfterAll
    static void stopBrowser() {
        if (chromium != null) {
            chromium.close();
        }
    }

    private static Tab open(Path page, int width, boolean dark) throws Exception {
        Tab tab = chromium.open();
        tab.resize(width, 900);
        tab.prefer(dark);
        tab.open(page);
        tab.await("document.querySelector('main') !== null");
        tab.settle();
        return tab;
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt.model | B=8,T=1024,depth=12,width=768,heads=12,vocab=50257 | 60% | peak-priority | 1",
                "resnet.model | B=32,layers=1001 | 10.15GiB | sqrt | 0",
                "unet.model | B=2 | 70% | peak-priority | 1",
            })
    void aPlanIsLookedAtByPointerAndKeysInBothWidthsAndThemes(
            String sample, String set, String budget, String strategy, String plans) throws Exception {
        Path page = folder.resolve(sample + ".html");
        String[] search = {"--strategy", strategy, "--effort", "quick", "--what-if", plans};
        PlanPages.plan(sample, page, set, budget, search);
        assertThat(Files.size(page)).isLessThan(LARGEST);
        try (Tab tab = open(page, 1280, false)) {
            lookByPointer(tab);
            slide(tab);
            search(tab);
            assertThat(fits(tab)).isEqualTo(true);
            assertThat(tab.complaints()).isEmpty();
        }
        try (Tab tab = open(page, 400, true)) {
            assertThat(tab.value("document.documentElement.dataset.theme")).isEqualTo("dark");
            assertThat(fits(tab)).isEqualTo(true);
            lookByKeys(tab);
            assertThat(fits(tab)).isEqualTo(true);
            assertThat(brokenNames(tab)).isEqualTo(0L);
            assertThat(tab.complaints()).isEmpty();
        }
    }

    private static Object fits(Tab tab) {
        return tab.value("document.documentElement.scrollWidth <= innerWidth");
    }

    /** Of the layers that the tree shows, how many have a name of more than one line. */
    private static Object brokenNames(Tab tab) {
        return tab.value("[...document.querySelectorAll('table.tree .name')].filter((name) =>"
                + " name.offsetHeight > 2 * parseFloat(getComputedStyle(name).fontSize)).length");
    }

    private static void lookByPointer(Tab tab) {
        Tab.Box memory = tab.box(MEMORY);
        tab.hover(memory.x(), memory.y());
        assertThat(tab.text(".tip")).contains("step ").contains("parameter").contains("in memory");
        Tab.Box arena = tab.box(ARENA);
        double low = arena.y() + arena.height() / 2 - 60;
        tab.hover(arena.x(), low);
        assertThat(tab.text(".tip")).containsAnyOf("parameter", "optimizer").contains("byte ");
        tab.click(arena.x(), low);
        assertThat(tab.text("[data-why=state]")).isEqualTo("resident");
        double whole = shown(tab);
        tab.zoom(arena.x(), arena.y(), -300);
        assertThat(shown(tab)).isLessThan(whole);
        tab.click("button[aria-label='Show the whole step']");
        assertThat(shown(tab)).isEqualTo(whole);
    }

    /** How many steps a pixel of the arena stands for, told by two tips. */
    private static double shown(Tab tab) {
        Tab.Box memory = tab.box(MEMORY);
        return stepAt(tab, memory.x() + 200, memory.y()) - stepAt(tab, memory.x() - 200, memory.y());
    }

    private static int stepAt(Tab tab, double x, double y) {
        tab.hover(x, y);
        return Integer.parseInt(tab.text(".tip").replaceFirst("(?s)^step (\\d+) of.*", "$1"));
    }

    private static void slide(Tab tab) {
        if (Boolean.TRUE.equals(tab.value("document.querySelector('#budget') === null"))) {
            return;
        }
        String before = tab.text("[data-plan=words]");
        assertThat(before).contains("the plan that was asked for");
        String arena = tab.text("[data-fact=arena]");
        tab.value("document.querySelector('#budget').focus()");
        tab.key("End");
        assertThat(tab.text("[data-plan=words]")).contains(" 0.0 % recomputed").isNotEqualTo(before);
        assertThat(tab.text("[data-fact=arena]")).isNotEqualTo(arena);
        Tab.Box slider = tab.box("#budget");
        tab.click(slider.x() - slider.width() / 2 + 8, slider.y());
        assertThat(tab.text("[data-plan=words]")).doesNotContain(" 0.0 % recomputed");
        tab.click(".budget button");
        assertThat(tab.text("[data-plan=words]")).isEqualTo(before);
    }

    private static void search(Tab tab) {
        tab.click(".why input");
        tab.type("loss");
        tab.click(".found button");
        assertThat(tab.text(WHY)).contains("loss");
        tab.click("#tensors input");
        tab.type("kept");
        assertThat(tab.text("#tensors tbody")).contains("kept").doesNotContain("backward");
    }

    private static void lookByKeys(Tab tab) {
        tab.box(MEMORY);
        tab.value("document.querySelector(\"" + MEMORY + "\").focus()");
        String step = "document.activeElement.getAttribute('aria-valuenow')";
        tab.key("Home");
        assertThat(tab.value(step)).isEqualTo("0");
        tab.key("ArrowRight");
        tab.key("ArrowRight");
        assertThat(tab.value(step)).isEqualTo("2");
        assertThat(tab.text("[data-step=words]")).startsWith("At step 2 of ");
        assertThat(tab.text("#live p[aria-live]")).startsWith("Step 2");
        tab.value("document.querySelector(\"" + ARENA + "\").focus()");
        tab.key("PageDown");
        tab.key("Enter");
        assertThat(tab.text(WHY)).isNotEmpty();
        tab.value("document.querySelector('table.tree tbody tr').focus()");
        tab.key("ArrowDown");
        tab.key("ArrowRight");
        tab.key("Enter");
        String layer = (String) tab.value("document.querySelector('table.tree tr[aria-current]').dataset.path");
        assertThat(layer).isNotEmpty();
        assertThat(tab.text("#model h3")).contains(layer);
        assertThat(tab.value("document.querySelectorAll('ol.source li.of-layer').length > 0"))
                .isEqualTo(true);
        assertThat(tab.value("document.querySelectorAll('#model .graph .node').length > 1"))
                .isEqualTo(true);
    }

    /** Sums as tiles and as they are printed, tensors as tables save them, and the live bytes that charts draw. */
    @Test
    void everyNumberIsThatOfTheJson() throws Exception {
        Path page = folder.resolve("numbers.html");
        Map<?, ?> plan = (Map<?, ?>) JsonTree.read(
                PlanPages.plan("gpt.model", page, "B=8,T=64", "70%", "--effort", "quick", "--what-if", "2"));
        Map<?, ?> memory = (Map<?, ?>) plan.get("memory");
        Map<?, ?> compute = (Map<?, ?>) plan.get("compute");
        try (Tab tab = open(page, 1280, false)) {
            Map<?, ?> printed = (Map<?, ?>) JsonTree.read(tab.text("pre.numbers"));
            for (Object field : printed.keySet()) {
                assertThat(printed.get(field)).as(field.toString()).isEqualTo(plan.get(field));
            }
            assertThat(plan.keySet())
                    .filteredOn(field -> !printed.containsKey(field))
                    .map(String::valueOf)
                    .containsExactly("retained", "recomputed", "seconds");
            assertThat(fact(tab, "arena")).isEqualTo(memory.get("arenaBytes"));
            assertThat(fact(tab, "live at the peak")).isEqualTo(memory.get("peakLiveBytes"));
            assertThat(fact(tab, "keeping all")).isEqualTo(memory.get("keepAllArenaBytes"));
            assertThat(fact(tab, "floor")).isEqualTo(memory.get("floorBytes"));
            assertThat(fact(tab, "smallest found")).isEqualTo(memory.get("smallestFoundBytes"));
            assertThat(exact(tab, "one step")).isEqualTo(String.valueOf(compute.get("estimatedMillis")));
            assertThat(exact(tab, "recomputed")).isEqualTo(String.valueOf(compute.get("overhead")));
            assertThat(exact(tab, "operations")).isEqualTo(String.valueOf(compute.get("flops")));

            List<?> tensors = saved(tab, "#tensors", "tensors.json");
            assertSame(tensors, (List<?>) plan.get("retained"), "reason");
            assertSame(tensors, (List<?>) plan.get("recomputed"), "times");

            List<?> live = saved(tab, "#live", "in-memory-at-the-step.json");
            assertThat(sum(live, "")).isEqualTo(memory.get("peakLiveBytes"));
            assertThat(sum(live, "parameter")).isEqualTo(memory.get("parameterBytes"));
            assertThat(sum(live, "optimizer")).isEqualTo(memory.get("optimizerBytes"));
            assertThat(sum(live, "gradient")).isEqualTo(memory.get("gradientBytesAtPeak"));
            assertThat(sum(live, "workspace")).isEqualTo(memory.get("workspaceBytesAtPeak"));

            assertThat(layer(tab, 2)).isEqualTo(String.valueOf(sum((List<?>) plan.get("retained"))));
            assertThat(layer(tab, 3)).isEqualTo(String.valueOf(sum((List<?>) plan.get("recomputed"))));
            assertThat(layer(tab, 4)).isEqualTo(String.valueOf(compute.get("flops")));

            List<?> steps = saved(tab, "#steps", "steps.json");
            assertThat(steps).hasSize(((Long) ((Map<?, ?>) plan.get("nodes")).get("kernels")).intValue());
            assertThat(steps.stream()
                            .mapToLong(step -> number(step, "liveBytes"))
                            .max()
                            .orElseThrow())
                    .isEqualTo(memory.get("peakLiveBytes"));
            assertThat(steps.stream().mapToLong(step -> number(step, "cost")).sum() / 1e6)
                    .isEqualTo(compute.get("estimatedMillis"));
            assertThat(Files.readString(csv(tab)))
                    .startsWith("step,computes,op,phase,again,cost,liveBytes,layer,at\r\n0,");
        }
    }

    /** Rows that have the field are those of the plan's list, with its bytes. */
    private static void assertSame(List<?> rows, List<?> expected, String field) {
        assertThat(rows.stream()
                        .filter(row -> ((Map<?, ?>) row).get(field) != null)
                        .map(row -> text(row, "value") + " " + number(row, "bytes") + " " + text(row, field) + " "
                                + text(row, "at")))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(expected.stream()
                        .map(row -> text(row, "value") + " " + number(row, "bytes") + " " + text(row, field) + " "
                                + text(row, "at"))
                        .toList());
    }

    private static String text(Object row, String field) {
        return String.valueOf(((Map<?, ?>) row).get(field));
    }

    private static long number(Object row, String field) {
        return (Long) ((Map<?, ?>) row).get(field);
    }

    /** What the whole step has in a column of the tree of layers. */
    private static String layer(Tab tab, int column) {
        return (String) tab.value("document.querySelector('table.tree tbody tr').cells[" + column + "].title");
    }

    private static long sum(List<?> rows) {
        return rows.stream().mapToLong(row -> number(row, "bytes")).sum();
    }

    private static Long sum(List<?> rows, String kind) {
        return rows.stream()
                .filter(row -> text(row, "kind").startsWith(kind))
                .mapToLong(row -> number(row, "bytes"))
                .sum();
    }

    private static String exact(Tab tab, String fact) {
        return (String) tab.value("document.querySelector(\"[data-fact='" + fact + "']\").title");
    }

    private static Long fact(Tab tab, String name) {
        return Long.valueOf(exact(tab, name).replace("\u202f", ""));
    }

    private static List<?> saved(Tab tab, String part, String file) throws Exception {
        Path downloads = downloads(tab);
        tab.click(part + " .bar button:nth-of-type(2)");
        return (List<?>) JsonTree.read(Files.readString(arrived(downloads.resolve(file))));
    }

    private static Path csv(Tab tab) throws Exception {
        Path downloads = downloads(tab);
        tab.click("#steps .bar button:nth-of-type(1)");
        return arrived(downloads.resolve("steps.csv"));
    }

    private static Path downloads(Tab tab) throws Exception {
        Path downloads = Files.createTempDirectory(folder, "downloads");
        tab.send("Page.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath", downloads.toString()));
        return downloads;
    }

    private static Path arrived(Path file) throws Exception {
        for (int i = 0; i < 500 && !Files.exists(file); i++) {
            Thread.sleep(20);
        }
        return file;
    }
}
