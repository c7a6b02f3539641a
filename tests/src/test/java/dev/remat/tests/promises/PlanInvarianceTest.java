package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.Dropout;
import dev.remat.tests.promises.TrialRun.Outcome;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans change memory and time, never a bit of a result. */
class PlanInvarianceTest {
    private static final int STEPS = 3;
    private static final int THREADS = 2;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt | B=2,T=16,vocab=50,width=16,depth=6,heads=2,context=16 | true",
                "resnet-cifar | B=2,depth=29,classes=3,width=4,image=8 | false",
                "lstm | B=2,T=6,features=5,width=8,depth=2,classes=7 | false",
                "unet | B=1,classes=2,width=2,image=16,pad=1 | false"
            })
    void everyStrategyGivesTheSameBits(String name, String settings, boolean recomputesDropout) throws IOException {
        String text = TrialRun.sample(name);
        Outcome kept = TrialRun.train(TrialRun.compile(text, settings, "keep-all"), STEPS, THREADS, false);
        Outcome recomputed = TrialRun.train(TrialRun.compile(text, settings, "sqrt"), STEPS, THREADS, true);
        assertThat(clones(recomputed.compilation())).isNotEmpty();
        if (recomputesDropout) {
            assertThat(clones(recomputed.compilation())).anyMatch(node -> node.op() instanceof Dropout);
        }
        assertThat(recomputed.losses()).isEqualTo(kept.losses());
        assertThat(recomputed.stateHash()).isEqualTo(kept.stateHash());
    }

    @Test
    void pinsChangeNoBit() throws IOException {
        String settings = "B=2,T=8,vocab=30,width=16,depth=4,heads=2,context=8";
        String text = TrialRun.sample("gpt");
        String block = "    x = Block(x)\n";
        assertThat(text).contains(block);
        Outcome plain = TrialRun.train(TrialRun.compile(text, settings, "keep-all"), STEPS, THREADS, false);
        String whole = "  repeat depth {\n" + block + "  }\n";
        assertThat(text).contains(whole);
        List<String> pinned = List.of(
                text.replace(block, "    x = recompute Block(x)\n"),
                text.replace(block, block + "    retain x\n"),
                text.replace(whole, "  segments 2 {\n" + whole + "  }\n"));
        for (String variant : pinned) {
            for (String strategy : List.of("keep-all", "sqrt")) {
                Outcome outcome = TrialRun.train(TrialRun.compile(variant, settings, strategy), STEPS, THREADS, false);
                assertThat(outcome.losses()).isEqualTo(plain.losses());
                assertThat(outcome.stateHash()).isEqualTo(plain.stateHash());
            }
        }
        Compilation recompute = TrialRun.compile(pinned.getFirst(), settings, "keep-all");
        assertThat(clones(recompute)).anyMatch(node -> node.op() instanceof Dropout);
    }

    @Test
    void theNumberOfThreadsChangesNoBit() throws IOException {
        Compilation plan = TrialRun.compile(
                TrialRun.sample("gpt"), "B=2,T=16,vocab=50,width=32,depth=2,heads=2,context=16", "sqrt");
        assertThat(TrialRun.train(plan, STEPS, 1, false).stateHash())
                .isEqualTo(TrialRun.train(plan, STEPS, 4, false).stateHash());
    }

    @Test
    void anotherSeedGivesOtherBits() throws IOException {
        String text = TrialRun.sample("gpt");
        String settings = "B=2,T=8,vocab=30,width=16,depth=1,heads=2,context=8";
        Outcome one = TrialRun.train(TrialRun.compile(text, settings, "keep-all"), 1, THREADS, false);
        Outcome other = TrialRun.train(
                TrialRun.compile(text.replace("seed 42", "seed 43"), settings, "keep-all"), 1, THREADS, false);
        assertThat(other.stateHash()).isNotEqualTo(one.stateHash());
    }

    @ParameterizedTest
    @CsvSource({"keep-all", "sqrt"})
    void theStepTakesWhatThePlanSays(String strategy) throws IOException {
        Outcome outcome = TrialRun.train(
                TrialRun.compile(
                        TrialRun.sample("gpt"), "B=2,T=16,vocab=50,width=16,depth=4,heads=2,context=16", strategy),
                2,
                THREADS,
                false);
        assertThat(outcome.highWaterBytes())
                .isEqualTo(outcome.compilation().plan().arenaBytes());
    }

    private static List<Node> clones(Compilation compilation) {
        return compilation.rematerialized().graph().nodes().stream()
                .filter(Node::isClone)
                .toList();
    }
}
