package dev.remat.tests.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.samples.SampleModels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The pages of a plan that runs in rounds, and of the same model uncut. */
@ExtendWith(Browser.class)
@Tag("slow")
class MicroBatchPageTest {
    private static final String MEMORY = "canvas[aria-label='Memory over the step']";

    @TempDir
    static Path folder;

    private static CommandPage plan(String name, String option, String... more) {
        Path file = folder.resolve(name);
        List<String> words = new ArrayList<>(List.of(
                "plan",
                SampleModels.of("gpt").path().toString(),
                "--set",
                "B=8,T=16,depth=2,width=32,heads=2,vocab=64",
                "--strategy",
                "sqrt",
                "--what-if",
                "2",
                option,
                file.toString(),
                "--json"));
        words.addAll(List.of(more));
        return CommandPage.of(file, words.toArray(String[]::new));
    }

    @Test
    void everyRoundIsCountedAndToldOnce(Chromium chromium) throws Exception {
        CommandPage page = plan("cut.html", "--html", "--micro-batches", "4");
        List<Map<?, ?>> sections = page.objects("sections");
        assertThat(sections.stream().<Object>map(section -> section.get("times")))
                .containsExactly(4L, 4L, 1L);
        Map<?, ?> compute = (Map<?, ?>) page.json().get("compute");
        try (Tab tab = page.open(chromium, 1280, false)) {
            assertThat(tab.text("h1")).contains("in 4 micro-batches of 2 rows");
            long runs = 0;
            long cost = 0;
            List<List<Object>> steps = steps(tab, (Long) sections.getLast().get("to"));
            for (List<Object> step : steps) {
                int index = ((Long) step.getFirst()).intValue();
                long times = (Long) sections.stream()
                        .filter(each -> (Long) each.get("from") <= index && index < (Long) each.get("to"))
                        .findFirst()
                        .orElseThrow()
                        .get("times");
                assertThat(step.get(1)).as("step %d", index).isEqualTo(times);
                runs += times;
                cost += times * (Long) step.get(2);
            }
            assertThat(cost / 1e6).isEqualTo(compute.get("estimatedMillis"));
            assertThat(tab.text("[data-fact='one step'] small").replace("\u202f", ""))
                    .contains(runs + " runs of " + steps.size() + " kernels");
            assertThat(root(tab, 4)).isEqualTo(String.valueOf(compute.get("flops")));
            assertThat(root(tab, 5)).startsWith((String)
                    tab.value("document.querySelector(\"[data-fact='one step']\").firstChild.textContent"));

            tab.value("document.querySelector(\"" + MEMORY + "\").focus()");
            tab.key("Home");
            assertThat(tab.text("[data-step=words]")).contains("step 0 of ", ", 4 times: ");
            tab.key("End");
            assertThat(tab.text("[data-step=words]")).contains(", update: ").doesNotContain(" times");
            CommandPage.assertSound(tab);
        }
        try (Tab tab = page.open(chromium, 400, true)) {
            CommandPage.assertSound(tab);
        }
    }

    @Test
    void nothingIsSaidOfRoundsWhereThereAreNone(Chromium chromium) throws Exception {
        CommandPage page = plan("whole.html", "--html");
        try (Tab tab = page.open(chromium, 1280, false)) {
            assertThat(tab.text("h1")).doesNotContain("micro-batch");
            assertThat(tab.text("#steps thead")).doesNotContain("Times");
            assertThat(tab.text("main")).doesNotContain(" runs of ").doesNotContain("micro-batch");
            tab.value("document.querySelector(\"" + MEMORY + "\").focus()");
            tab.key("Home");
            assertThat(tab.text("[data-step=words]")).contains("step 0 of ").doesNotContain(" times");
            CommandPage.assertSound(tab);
        }
    }

    @Test
    void kernelsOfAllSectionsAreOnThePageOfPasses(Chromium chromium) throws Exception {
        CommandPage page = plan("passes.html", "--passes-html", "--html", folder + "/other.html");
        assertThat(page.data().get("sections")).isNull();
        CommandPage cut =
                plan("cut-passes.html", "--passes-html", "--micro-batches", "4", "--html", folder + "/o.html");
        Map<?, ?> data = cut.data();
        assertThat((List<?>) data.get("kernels")).hasSize(((Long) data.get("steps")).intValue());
        assertThat((List<?>) data.get("sections")).hasSize(3);
        try (Tab tab = cut.open(chromium, 1280, false)) {
            assertThat((String) tab.value("document.body.innerText"))
                    .contains("a step runs kernels 0 to ", "(micro-batch) 4 times");
            CommandPage.assertSound(tab);
        }
    }

    /** Rows of the table of steps from all of its pages: the step, how often it runs and what it costs each time. */
    private static List<List<Object>> steps(Tab tab, long count) {
        List<List<Object>> rows = new ArrayList<>();
        while (true) {
            CommandPage.numbers(tab, "#steps").forEach(row -> rows.add(row.subList(0, 3)));
            if (rows.size() >= count) {
                return rows;
            }
            tab.click("#steps .bar.paging button:nth-of-type(2)");
        }
    }

    /** What the whole step has in a column of the tree of layers. */
    private static String root(Tab tab, int column) {
        return (String) tab.value("document.querySelector('table.tree tbody tr').cells[" + column + "].title");
    }
}
