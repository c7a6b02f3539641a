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

/** The page of a plan of several ranks, and of the same of one. */
@ExtendWith(Browser.class)
class RanksPageTest {
    private static final String LANES = "canvas[aria-label='Lanes by the clock']";

    @TempDir
    static Path folder;

    private static CommandPage plan(String name, String... more) {
        Path file = folder.resolve(name);
        List<String> words = new ArrayList<>(List.of(
                "plan",
                SampleModels.of("gpt").path().toString(),
                "--set",
                "B=8,T=16,depth=2,width=32,heads=2,vocab=64",
                "--micro-batches",
                "4",
                "--what-if",
                "0",
                "--html",
                file.toString(),
                "--json"));
        words.addAll(List.of(more));
        return CommandPage.of(file, words.toArray(String[]::new));
    }

    /** On a link so slow that most of the clock is an exchange's. */
    @Test
    void exchangesHaveALane(Chromium chromium) throws Exception {
        CommandPage page = plan("ranks.html", "--ranks", "2", "--link", "10Mbit:1ms");
        Map<?, ?> ranks = (Map<?, ?>) page.json().get("ranks");
        try (Tab tab = page.open(chromium, 1280, false)) {
            String sent = (String) tab.value("document.querySelector(\"[data-fact='each rank sends']\").title");
            assertThat(Long.parseLong(sent.replaceAll("\\D", "")))
                    .isEqualTo((Long) ranks.get("scatterBytes") + (Long) ranks.get("gatherBytes"));
            assertThat(tab.text("[data-fact='efficiency']")).contains("for other ranks");
            assertThat(tab.text("[data-moves=waits]")).startsWith("Kernels wait longest for ");

            Tab.Box lanes = tab.box(LANES);
            double row = lanes.y() - lanes.height() / 2 + 16 + 34 + 12;
            List<String> tips = new ArrayList<>();
            for (int i = 1; i < 20; i++) {
                tab.hover(lanes.x() - lanes.width() / 2 + 74 + (lanes.width() - 88) * i / 20, row);
                tips.add(tab.text(".tip"));
            }
            assertThat(tips)
                    .anyMatch(tip -> tip.contains("a rank in ")
                            && tip.contains("when all ranks have come to step ")
                            && tip.contains("awaited ")
                            && tip.contains("kernels wait "));
            assertThat(tab.text("#steps thead")).contains("Waits");
            assertThat(tab.text("#tensors thead")).doesNotContain("Moved");
            assertThat(tab.value("document.querySelector(\"canvas[aria-label='Memory below the"
                            + " arena']\").checkVisibility()"))
                    .isEqualTo(false);
            CommandPage.assertSound(tab);
        }
        try (Tab tab = page.open(chromium, 400, true)) {
            CommandPage.assertSound(tab);
        }
    }

    @Test
    void oneRankHasNone(Chromium chromium) throws Exception {
        CommandPage page = plan("alone.html");
        try (Tab tab = page.open(chromium, 1280, false)) {
            assertThat(tab.value("document.querySelector(\"" + LANES + "\").checkVisibility()"))
                    .isEqualTo(false);
            assertThat(tab.text("dl.facts")).doesNotContain("each rank sends", "efficiency");
            CommandPage.assertSound(tab);
        }
    }
}
