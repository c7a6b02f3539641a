package dev.remat.compiler.plan.segment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code speed}, {@code memory} and {@code collection} of OpenAI's gradient-checkpointing. */
class NamedChoiceTest {
    private static final PlannerOptions NONE = PlannerOptions.none();
    /** Two convolutions of cost 50 among cheap nodes: 100 of 106 are more than nine tenths. */
    private static final RematProblem CONVOLUTIONS =
            Chains.of(new long[] {6, 6, 6, 6, 6, 6, 6, 6}, new long[] {1, 50, 1, 1, 50, 1, 1, 1});

    @Test
    void speedRetainsWhatIsDear() {
        assertThat(Chains.retained(CONVOLUTIONS, new RetainExpensive(), NONE))
                .containsExactly("f1 chosen", "f4 chosen");
        assertThat(Chains.steps(CONVOLUTIONS, new RetainExpensive().plan(CONVOLUTIONS, NONE)))
                .isEqualTo("f0 f1 f2 f3 f4 f5 f6 f7 f5 f6 f7 b7 b6 b5 b4 f2 f3 b3 b2 b1 f0 b0");
    }

    /** Six inner nodes of eight are cut vertices; every second is kept, and the last segment. */
    @Test
    void memoryRetainsEveryRootOfTheCutVertices() {
        assertThat(Chains.retained(CONVOLUTIONS, new RetainCutVertices(), NONE))
                .containsExactly(
                        "f2 segment-boundary", "f4 segment-boundary", "f6 segment-boundary", "f7 last-segment");
    }

    @Test
    void memoryKeepsAGraphWithoutCutVertices() {
        RematProblem unet = TrainingSteps.unet(1, 1, 8);
        assertThat(SequenceEvaluator.evaluate(unet, new RetainCutVertices().plan(unet, NONE))
                        .overhead())
                .isLessThan(1);
    }

    @Test
    void collectionRetainsWhatTheUserNames() {
        List<Pin> pins = new ArrayList<>();
        for (int n = 0; n < CONVOLUTIONS.nodeCount(); n++) {
            pins.add(n == 3 ? Pin.RETAIN : Pin.NONE);
        }
        RematProblem named = CONVOLUTIONS.withPins(pins);
        assertThat(Chains.retained(named, new RetainNamed(), NONE)).containsExactly("f3 pin");
        assertThat(Chains.steps(named, new RetainNamed().plan(named, NONE)))
                .isEqualTo("f0 f1 f2 f3 f4 f5 f6 f7 f4 f5 f6 f7 b7 b6 b5 b4 b3 f0 f1 f2 b2 b1 b0");
        assertThat(Chains.retained(CONVOLUTIONS, new RetainNamed(), NONE)).isEmpty();
    }
}
