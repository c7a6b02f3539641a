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

/** The page of a plan whose tensors wait below the arena, and of one whose tensors stay. */
@ExtendWith(Browser.class)
class MovedPageTest {
    private static final String LANES = "canvas[aria-label='Lanes by the clock']";

    /** Where a kernel of the page of passes tells what it reads of the step's inputs. */
    private static final int READS = 7;

    @TempDir
    static Path folder;

    private static CommandPage plan(String name, String... more) {
        Path file = folder.resolve(name);
        List<String> words = new ArrayList<>(List.of(
                "plan",
                SampleModels.of("gpt").path().toString(),
                "--set",
                "B=8,T=16,depth=2,width=32,heads=2,vocab=64",
                "--html",
                file.toString(),
                "--json"));
        words.addAll(List.of(more));
        return CommandPage.of(file, words.toArray(String[]::new));
    }

    /** The lanes draw what the plan moves, a tensor tells its way, and another plan on the page moves nothing. */
    @Test
    void whatMovesIsDrawnAndToldOfEachTensor(Chromium chromium) throws Exception {
        CommandPage page = plan(
                "moved.html",
                "--host-budget",
                "1GiB",
                "--host-rates",
                "2GB/s:1GB/s:1us",
                "--strategy",
                "offload-activations",
                "--what-if",
                "1");
        Map<?, ?> transfers = (Map<?, ?>) page.json().get("transfers");
        List<Map<?, ?>> moved = page.objects("offloaded");
        assertThat(moved).isNotEmpty();
        try (Tab tab = page.open(chromium, 1280, false)) {
            assertThat(exact(tab, "stored")).isEqualTo(transfers.get("storeBytes"));
            assertThat(exact(tab, "fetched")).isEqualTo(transfers.get("fetchBytes"));
            assertThat(exact(tab, "on the host")).isEqualTo(transfers.get("hostArenaBytes"));
            assertThat(tab.text("[data-moves=waits]")).startsWith("Kernels wait longest for ");

            Tab.Box lanes = tab.box(LANES);
            double stores = lanes.y() - lanes.height() / 2 + 16 + 34 + 12;
            List<String> tips = new ArrayList<>();
            for (int i = 1; i < 20; i++) {
                tab.hover(lanes.x() - lanes.width() / 2 + 74 + (lanes.width() - 88) * i / 20, stores);
                tips.add(tab.text(".tip"));
            }
            assertThat(tips).anyMatch(tip -> tip.contains("stored to the host")).anyMatch(tip -> tip.contains("step "));

            String name = (String) moved.getFirst().get("value");
            tab.click(".why input");
            tab.type(name);
            tab.click(".found button");
            assertThat(tab.text("[data-why=state]")).isEqualTo("moved");
            assertThat(tab.text("[data-why=moved]")).contains("to the host behind ", "back ahead of ");
            assertThat(tab.text(".why"))
                    .contains("If it were kept", "If it were computed again instead", "What would run again");
            assertThat(tab.text("#tensors thead")).contains("Moved", "Waited for");
            assertThat(tab.text(".legend")).contains("fetched", "dashed");
            CommandPage.assertSound(tab);

            tab.value("document.querySelector('#budget').focus()");
            tab.key("End");
            assertThat(tab.text("[data-plan=words]")).contains(" 0.0 % overhead");
            assertThat(tab.value("document.querySelector(\"" + LANES + "\").checkVisibility()"))
                    .isEqualTo(false);
            assertThat(tab.text(".legend")).doesNotContain("fetched", "dashed");
        }
        try (Tab tab = page.open(chromium, 400, true)) {
            CommandPage.assertSound(tab);
        }
    }

    /** Kernels and rectangles of the page of passes go by the names of what was stored. */
    @Test
    void whatWasFetchedHasItsNameOnThePageOfPasses(Chromium chromium) throws Exception {
        CommandPage page = plan(
                "own.html",
                "--host-budget",
                "1GiB",
                "--host-rates",
                "2GB/s:1GB/s:1us",
                "--offload",
                "all",
                "--what-if",
                "0",
                "--passes-html",
                folder.resolve("passes.html").toString());
        CommandPage passes = new CommandPage(folder.resolve("passes.html"), page.json());
        Map<?, ?> data = passes.data();
        List<?> names = (List<?>) data.get("names");
        List<Object> told = new ArrayList<>();
        ((List<?>) data.get("tensors")).forEach(tensor -> told.add(((List<?>) tensor).getFirst()));
        ((List<?>) data.get("kernels")).forEach(kernel -> told.addAll((List<?>) ((List<?>) kernel).get(READS)));
        assertThat(told)
                .hasSizeGreaterThan(((List<?>) data.get("tensors")).size())
                .filteredOn(name -> (Long) name >= 0)
                .noneMatch(
                        name -> names.get(((Long) name).intValue()).toString().contains("~"));
        try (Tab tab = passes.open(chromium, 1280, false)) {
            assertThat((String) tab.value("document.body.innerText")).contains("back from below the arena");
            CommandPage.assertSound(tab);
        }
    }

    @Test
    void nothingIsSaidOfMovesWhereThereAreNone(Chromium chromium) throws Exception {
        CommandPage page = plan("still.html", "--what-if", "0");
        try (Tab tab = page.open(chromium, 1280, false)) {
            assertThat(tab.value("document.querySelector(\"" + LANES + "\").checkVisibility()"))
                    .isEqualTo(false);
            assertThat(tab.text("#tensors thead")).doesNotContain("Moved");
            assertThat(tab.text("#steps thead")).doesNotContain("Waits");
            assertThat(tab.text("dl.facts")).doesNotContain("stored", "exposed").contains("recomputed");
            CommandPage.assertSound(tab);
        }
    }

    private static Object exact(Tab tab, String fact) {
        String exact = (String) tab.value("document.querySelector(\"[data-fact='" + fact + "']\").title");
        return Long.valueOf(exact.replace("\u202f", ""));
    }
}
