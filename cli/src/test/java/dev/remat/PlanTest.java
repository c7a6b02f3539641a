package dev.remat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.Plan.Decision;
import dev.remat.cli.command.CommandRun;
import dev.remat.compiler.search.BudgetException;
import dev.remat.ir.diagnostic.ModelException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanTest {
    private static final Model GPT =
            Model.open(Path.of("../samples/gpt.model")).with("B", 8).with("T", 64);

    private static final Plan ALL = GPT.plan();
    private static final Plan SQRT = GPT.withStrategy("sqrt").plan();

    @TempDir
    Path folder;

    private static String command(String... args) {
        CommandRun run = CommandRun.of(args);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }

    /** Without seconds, of which no two are equal. */
    private static String comparable(String json) {
        return json.replaceAll("(?s)\"seconds\"\\s*:\\s*\\{[^}]*}", "").replaceAll("\\s", "");
    }

    @Test
    void plansAsTheCommandDoes() {
        assertThat(comparable(SQRT.json()))
                .isEqualTo(comparable(
                        command("plan", "../samples/gpt.model", "--set", "B=8,T=64", "--strategy", "sqrt", "--json")));
        assertThat(SQRT.json()).contains("\"arenaBytes\":" + SQRT.arenaBytes());
    }

    @Test
    void aBudgetIsKept() {
        Model model = Model.open(Path.of("../samples/mlp.model"))
                .with("B", 100)
                .with("features", 16)
                .with("width", 64);
        Plan all = model.plan();
        Plan less = model.withBudget("75%").planningQuickly().plan();
        assertThat(less.arenaBytes()).isLessThanOrEqualTo((long) (0.75 * all.arenaBytes()));
        assertThat(all.recomputedShare()).isZero();
        assertThat(less.recomputedShare()).isPositive();
        assertThat(less.millis()).isGreaterThan(all.millis());
        assertThatThrownBy(() -> model.withBudget("1KiB").plan()).isInstanceOf(BudgetException.class);
    }

    @Test
    void tellsWhatIsKeptAndWhyAndAtWhatPrice() {
        Decision kept = decision("block.0.x");
        assertThat(kept.state()).isEqualTo("kept");
        assertThat(kept.reason()).contains("segment-boundary");
        assertThat(kept.type()).isEqualTo("f32[8, 64, 128]");
        assertThat(kept.bytes()).isEqualTo(8 * 64 * 128 * 4);
        assertThat(kept.location()).isEqualTo("../samples/gpt.model:31:11");
        assertThat(SQRT.priceOfOther("block.0.x"))
                .hasValueSatisfying(price -> assertThat(price.millis()).isPositive());
        Decision recomputed = SQRT.decisions().stream()
                .filter(each -> each.state().equals("recomputed"))
                .findFirst()
                .orElseThrow();
        assertThat(recomputed.recomputations()).isPositive();
        assertThat(recomputed.reason()).isEmpty();
        assertThat(SQRT.priceOfOther(recomputed.tensor()))
                .hasValueSatisfying(price -> assertThat(price.millis()).isNegative());
        assertThat(SQRT.priceOfOther("tokens")).isEmpty();
        assertThat(SQRT.priceOfOther("no such tensor")).isEmpty();
    }

    private static Decision decision(String tensor) {
        return SQRT.decisions().stream()
                .filter(each -> each.tensor().equals(tensor))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void tellsWhatItIsFed() {
        assertThat(ALL.inputs())
                .containsExactly(
                        new Feed.Input("tokens", "i32", List.of(8L, 64L)),
                        new Feed.Input("targets", "i32", List.of(8L, 64L)));
        assertThat(GPT.withMicroBatches(2).plan().inputs().getFirst().rows()).isEqualTo(4);
    }

    @Test
    void settingsGiveAnotherModel() {
        long whole = ALL.arenaBytes();
        Model other = GPT.with("B", 4).withSeed(9).withPrecision("bf16");
        assertThat(other.plan().arenaBytes()).isNotEqualTo(whole);
        assertThat(GPT.plan().arenaBytes()).isEqualTo(whole);
    }

    @Test
    void mistakesAreTold() {
        assertThatThrownBy(() -> Model.open(folder.resolve("none.model"))).isInstanceOf(ModelException.class);
        assertThatThrownBy(() -> GPT.with("depht", 3).plan())
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("depht");
        assertThatThrownBy(() -> Model.open(Path.of("../samples/gpt.model")).plan())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("symbol B needs a value");
        assertThatThrownBy(() -> GPT.withBudget("much")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> GPT.withStrategy("best")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> GPT.withPrecision("f8")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anyThreadMayUseAModelAndAPlan() throws InterruptedException {
        var found = new ConcurrentLinkedQueue<String>();
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(_ -> new Thread(() -> {
                    found.add(SQRT.decisions() + " " + SQRT.priceOfOther("block.0.x"));
                    found.add(GPT.withStrategy("sqrt").plan().decisions() + " " + SQRT.priceOfOther("block.0.x"));
                }))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(found).hasSize(8).containsOnly(SQRT.decisions() + " " + SQRT.priceOfOther("block.0.x"));
    }
}
