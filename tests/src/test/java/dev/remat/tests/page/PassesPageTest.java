package dev.remat.tests.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.samples.SampleModels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Browser.class)
class PassesPageTest {
    private static final String SETTINGS = "B=2,T=64,depth=3,width=32,heads=2";

    @TempDir
    static Path folder;

    private static CommandPage page;

    private static CommandPage plan(String target) {
        Path file = folder.resolve("passes-" + target + ".html");
        return CommandPage.of(
                file,
                "plan",
                SampleModels.of("gpt").path().toString(),
                "--set",
                SETTINGS,
                "--strategy",
                "sqrt",
                "--target",
                target,
                "--passes-html",
                file.toString(),
                "--json");
    }

    @BeforeAll
    static void plan() {
        page = plan("sm_90a");
    }

    private static long count(Tab tab, String selector) {
        return (Long) tab.value("document.querySelectorAll(`" + selector + "`).length");
    }

    @Test
    void aLineOfTheModelIsMarkedEverywhere(Chromium chromium) throws Exception {
        try (Tab tab = page.open(chromium, 1280, false)) {
            assertThat(tab.text("#model .linked")).contains("input tokens");
            tab.click("[data-pass=form-kernels] .fold");
            tab.value("[...document.querySelectorAll('#model .row')].find((row) =>"
                    + " row.textContent.includes('gelu')).id = 'gelu'");
            tab.click("#gelu .line-number");
            assertThat(tab.text("#model .chosen")).contains("gelu");
            assertThat(tab.text("#chosen"))
                    .contains(": 1 line of the model,")
                    .doesNotContain(" 0 kernels", " 0 places");
            assertThat(count(tab, "[data-pass=elaborate] .chosen")).isPositive();
            assertThat(count(tab, "[data-pass=form-kernels] .chosen")).isPositive();
            assertThat(count(tab, "#kernels .chosen")).isPositive();
            assertThat(tab.text("#kernels pre")).contains("__global__");
            tab.click("#program button:last-of-type");
            assertThat(count(tab, ".chosen")).isZero();
            CommandPage.assertSound(tab);
        }
    }

    @Test
    void aRectangleLeadsToItsKernelAndItsLine(Chromium chromium) throws Exception {
        try (Tab tab = page.open(chromium, 400, true)) {
            tab.click("#arena canvas[role=img]");
            for (int i = 0; i < 3; i++) {
                tab.key("ArrowUp");
            }
            tab.key("Enter");
            assertThat(tab.text("#chosen")).contains(" in the arena");
            assertThat(count(tab, "#model .chosen")).isPositive();
            tab.click("#kernels .rows");
            tab.key("Home");
            tab.key("Enter");
            String first = tab.text("#kernels h4");
            tab.key("ArrowDown");
            tab.key("Enter");
            assertThat(first).startsWith("Kernel 0: ");
            assertThat(tab.text("#kernels h4")).startsWith("Kernel 1: ");
            CommandPage.assertSound(tab);
        }
    }

    @Test
    void passesAreFoldedComparedAndSearched(Chromium chromium) throws Exception {
        try (Tab tab = page.open(chromium, 1280, false)) {
            assertThat(tab.text("[data-pass=apply-precision] .fold")).contains("unchanged");
            assertThat(tab.value("document.querySelector('[data-pass=apply-precision] .fold').disabled"))
                    .isEqualTo(true);
            tab.click("[data-pass=insert-recompute] .fold");
            tab.click("#program button[aria-pressed]");
            String change = "[data-pass=insert-recompute] .row";
            assertThat(count(tab, change)).isPositive().isEqualTo(count(tab, change + ":is(.added, .gone)"));
            tab.click("#program button[aria-pressed]");
            assertThat(count(tab, change + ":not(.added, .gone)")).isPositive();
            tab.click("#program input[type=search]");
            tab.type("block.1.h = gelu");
            assertThat(tab.text("[data-pass=differentiate] .fold")).contains("1 found");
            assertThat(tab.value("[...document.querySelectorAll('[data-pass=elaborate] .row')].every((row) =>"
                            + " row.textContent.includes('block.1.h = gelu'))"))
                    .isEqualTo(true);
            CommandPage.assertSound(tab);
        }
    }

    /** The same numbers as {@code plan --json} and {@code explain --json} tell. */
    @Test
    void theNumbersAreThoseOfThePlan(Chromium chromium) throws Exception {
        Map<?, ?> memory = (Map<?, ?>) page.json().get("memory");
        CommandPage explained = CommandPage.of(
                page.file(),
                "explain",
                SampleModels.of("gpt").path().toString(),
                "block.1.h",
                "--set",
                SETTINGS,
                "--strategy",
                "sqrt",
                "--target",
                "sm_90a",
                "--json");
        try (Tab tab = page.open(chromium, 1280, false)) {
            assertThat(page.data().get("arenaBytes")).isEqualTo(memory.get("arenaBytes"));
            assertThat(tab.value("document.querySelector('#kernels .row').ariaSetSize"))
                    .isEqualTo(((Map<?, ?>) page.json().get("nodes"))
                            .get("kernels")
                            .toString());
            List<Map<?, ?>> stays =
                    CommandPage.objects(explained.objects("values").getFirst(), "stays");
            assertThat(stays).hasSizeGreaterThan(1);
            tab.click("[data-pass=plan-arena] .fold");
            tab.click("#program input[type=search]");
            tab.type("block.1.h byte");
            assertThat(tab.value("[...document.querySelectorAll('[data-pass=plan-arena] .row')].map((row) =>"
                            + " row.textContent.trim()).filter((text) => text.startsWith('block.1.h at')).join('|')"))
                    .isEqualTo(stays.stream()
                            .map(stay -> "block.1.h at byte %s, %s bytes, steps %s to %s, %s"
                                    .formatted(
                                            stay.get("offset"),
                                            stay.get("bytes"),
                                            stay.get("first"),
                                            stay.get("last"),
                                            stay.get("kind")))
                            .collect(Collectors.joining("|")));
        }
    }

    @Test
    void onACpuTheKernelsAreBodies(Chromium chromium) throws Exception {
        CommandPage cpu = plan("cpu");
        assertThat(Files.size(cpu.file())).isLessThan(2 << 20);
        try (Tab tab = cpu.open(chromium, 400, false)) {
            tab.click("#kernels .rows");
            tab.key("Home");
            tab.key("Enter");
            assertThat(tab.text("#kernels pre")).startsWith("kernel ").contains("@0 = read ", "write ");
            CommandPage.assertSound(tab);
        }
    }
}
