package dev.remat.tests.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.remat.cli.page.HtmlPage;
import dev.remat.cli.page.PageLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What all pages share, in a browser. */
class PageFrameTest {
    private static final String HOSTILE = "</script><img src=x onerror=alert(1)>";
    private static final int ROWS = 120;

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

    private static Tab open(int width, boolean dark) throws Exception {
        HtmlPage page = new HtmlPage("Frame of " + HOSTILE, "frame.js", List.of(PageLibrary.D3), out -> {
            out.writeStringField("title", "Frame of " + HOSTILE);
            out.writeArrayFieldStart("heights");
            for (int i = 0; i < 100; i++) {
                out.writeNumber(10 * i);
            }
            out.writeEndArray();
            out.writeArrayFieldStart("names");
            for (int i = 0; i < ROWS; i++) {
                out.writeString(i == 7 ? HOSTILE : "block." + i);
            }
            out.writeEndArray();
        });
        Path file = folder.resolve("frame.html");
        Files.write(file, page.bytes());
        Tab tab = chromium.open();
        tab.resize(width, 900);
        tab.prefer(dark);
        tab.open(file);
        return tab;
    }

    @Test
    void textsOfAnyContentAreTextsAndNothingIsComplainedOf() throws Exception {
        try (Tab tab = open(1280, false)) {
            assertThat(tab.text("h1")).isEqualTo("Frame of " + HOSTILE);
            assertThat(tab.value("document.title")).isEqualTo("Frame of " + HOSTILE);
            assertThat(tab.value("document.querySelectorAll('img').length")).isEqualTo(0L);
            assertThat(tab.complaints()).isEmpty();
            tab.value("console.error('seen')");
            assertThat(tab.complaints()).singleElement().asString().contains("seen");
        }
    }

    @Test
    void coloursFollowTheSystemUntilTheButtonSaysOtherwise() throws Exception {
        try (Tab tab = open(1280, true)) {
            String theme = "document.documentElement.dataset.theme";
            assertThat(tab.value(theme)).isEqualTo("dark");
            tab.prefer(false);
            tab.await(theme + " === 'light'");
            tab.click("button.theme");
            tab.click("button.theme");
            assertThat(tab.value(theme)).isEqualTo("dark");
        }
    }

    @Test
    void tablesAreSearchedSortedAndTurned() throws Exception {
        try (Tab tab = open(400, false)) {
            String first = "tbody tr td";
            assertThat(tab.text(first)).isEqualTo("block.0");
            tab.click("th.number button");
            assertThat(tab.text(first)).isEqualTo("block.119");
            assertThat(tab.text(".paging [role=status]")).isEqualTo("1–50 of 120");
            tab.click(".paging button:last-of-type");
            assertThat(tab.text(first)).isEqualTo("block.69");
            tab.click("input[type=search]");
            tab.type("block.10");
            assertThat(tab.text(".paging [role=status]")).isEqualTo("1–11 of 11 found among 120");
            assertThat(tab.text(first)).isEqualTo("block.109");
            assertThat(tab.value("document.documentElement.scrollWidth <= innerWidth"))
                    .isEqualTo(true);
        }
    }

    @Test
    void aPlotIsHoveredZoomedAndMoved() throws Exception {
        try (Tab tab = open(1280, false)) {
            Tab.Box plot = tab.box("canvas[aria-label=Heights]");
            tab.hover(plot.x(), plot.y());
            assertThat(tab.text(".tip")).matches("bar 4[678]: \\d+ B");
            assertThat(tab.value("range.shown")).isEqualTo(100L);
            tab.zoom(plot.x(), plot.y(), -400);
            double closer = ((Number) tab.value("range.shown")).doubleValue();
            assertThat(closer).isLessThan(90);
            double from = from(tab);
            tab.drag(plot.x(), plot.y(), plot.x() + 100, plot.y());
            assertThat(from(tab)).isLessThan(from);
            tab.key("0");
            assertThat(tab.value("range.shown")).isEqualTo(100L);
            tab.key("+");
            tab.key("End");
            assertThat(tab.value("range.cursor")).isEqualTo(99L);
            assertThat(from(tab)).isGreaterThan(30);
            assertThat(tab.complaints()).isEmpty();
        }
    }

    /** The first unit that is shown. */
    private static double from(Tab tab) {
        return ((Number) tab.value("from()")).doubleValue();
    }
}
