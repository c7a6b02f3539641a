package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.Draw;
import dev.remat.tests.promises.TrialRun.Outcome;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A model with a reparameterized latent in every checkpointed block draws the same numbers under every plan. */
class RandomDrawsTest {
    private static final String SETTINGS = "B=8";
    private static final int STEPS = 3;
    private static final int THREADS = 2;

    private static final String MODEL = """
        remat 1
        model Latent(width: int = 24, latent: int = 5) {
          symbol B
          input x: f32[B, 12]
          repeat 4 {
            h = tanh(linear(x, width))
            mu = linear(h, latent) as mu
            logvar = linear(h, latent) as logvar
            z = mu + randn_like(mu) * exp(logvar * 0.5)
            noise = bernoulli(0.5, [B, width]) + rand([B, width], -0.1, 0.1)
            jump = cast(randint(-1, 3, [B, width]), f32)
            x = x + linear(tanh(linear(z, width)) * (noise + jump) |> dropout(0.2), 12)
          }
          loss = mean(square(x)) + mean(square(mu) + exp(logvar) - logvar)
        }
        train { minimize loss; optimizer sgd(lr = 0.05); seed 5 }
        """;

    private static Outcome train(String text, String strategy) {
        return TrialRun.train(TrialRun.compile(text, SETTINGS, strategy), STEPS, THREADS, true);
    }

    private static List<Draw.Kind> redrawn(Compilation compilation) {
        return compilation.rematerialized().graph().nodes().stream()
                .filter(Node::isClone)
                .filter(node -> node.op() instanceof Draw)
                .map(node -> ((Draw) node.op()).kind())
                .distinct()
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sqrt", "segments=3", "recursive", "peak-priority"})
    void everyStrategyDrawsTheSame(String strategy) {
        Outcome kept = train(MODEL, "keep-all");
        Outcome again = train(MODEL, strategy);
        assertThat(redrawn(again.compilation())).contains(Draw.Kind.NORMAL);
        assertThat(again.losses()).isEqualTo(kept.losses());
        assertThat(again.stateHash()).isEqualTo(kept.stateHash());
    }

    @Test
    void pinnedBlocksDrawTheSame() {
        Outcome kept = train(MODEL, "keep-all");
        Outcome segments = train(
                MODEL.replace("repeat 4 {", "segments 2 {\n repeat 4 {").replace("  loss", "}\n loss"), "keep-all");
        assertThat(redrawn(segments.compilation())).contains(Draw.Kind.NORMAL, Draw.Kind.UNIFORM, Draw.Kind.INTEGER);
        assertThat(segments.stateHash()).isEqualTo(kept.stateHash());
    }

    @Test
    void otherSeedsAndOtherStepsDrawOtherNumbers() {
        assertThat(train(MODEL.replace("seed 5", "seed 6"), "keep-all").stateHash())
                .isNotEqualTo(train(MODEL, "keep-all").stateHash());
        String still = MODEL.replace("lr = 0.05", "lr = 1e-30").replace("mean(square(x))", "mean(randn([100]))");
        assertThat(train(still, "keep-all").losses()).doesNotHaveDuplicates();
    }

    @Test
    void evaluationDrawsToo() {
        Map<String, ByteBuffer> once = evaluate("");
        assertThat(evaluate("")).isEqualTo(once);
        assertThat(evaluate("+ randn([B, 12])")).isNotEqualTo(once);
    }

    private static Map<String, ByteBuffer> evaluate(String more) {
        String text = MODEL.replace("loss =", "output x\nx = x " + more + "\nloss =");
        CompileOptions options = CompileOptions.defaults().withStrategy("keep-all");
        return TrialRun.outputs(TrialRun.compile(text, SETTINGS, Purpose.EVALUATE, options), THREADS);
    }
}
