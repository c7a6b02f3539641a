package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.Dropout;
import dev.remat.tests.promises.TrialRun.Outcome;
import dev.remat.tests.steps.AllCases;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every sample model trains to the same bits at budgets from what keeping everything takes down to the smallest
 * plan that is found, and takes what its plan says.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class BudgetInvarianceTest {
    private static final int STEPS = 3;
    private static final int THREADS = 1;
    /** Cheap, and follows a budget byte by byte. */
    private static final String STRATEGY = "peak-priority";
    /** Parts of what can be saved at all that a plan may take; the smallest plan last. */
    private static final double[] LADDER =
            AllCases.asked() ? new double[] {0.9, 0.7, 0.5, 0.3, 0} : new double[] {0.3, 0};

    /** Sizes at which recomputation saves something: a convolution's workspace is large beside a tiny activation. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "autoencoder | B=2,channels=1,width=2,code=4,image=32 | false",
                "bert | B=8,T=12,vocab=11,width=8,depth=2,heads=2,hidden=12,context=12 | true",
                "dcgan | B=2,channels=1,noise=3,width=2 | false",
                "ddpm | B=2,steps=5,width=4,factors=[1,2],units=1,attends=[false,true],groups=2,image=8 | true",
                "densenet | B=4,layers=45,classes=3,growth=16,image=32,drop=0.2 | false",
                "gpt | B=2,T=5,vocab=11,width=8,depth=2,heads=2,context=8 | true",
                "llama | B=8,T=12,vocab=11,width=8,depth=2,heads=2,kv_heads=1,hidden=24 | false",
                "lstm | B=2,T=3,features=3,width=4,depth=2,classes=5 | false",
                "mlp | B=4,features=6,width=8,depth=2,classes=3 | true",
                "mobilenet | B=3,classes=3,width=1,image=32 | false",
                "resnet | B=2,layers=14,classes=3,width=16,image=32 | false",
                "resnet-cifar | B=2,depth=20,classes=3,width=2,image=8 | false",
                "transformer-encdec | B=2,S=4,T=3,vocab=7,width=8,depth=2,heads=2,hidden=12,context=6 | true",
                "unet | B=2,classes=3,width=2,image=16,pad=1 | true",
                "vae | B=16,pixels=24,hidden=12,latent=6 | false",
                "vgg | B=2,classes=3,width=16,hidden=6,image=32 | false",
                "vit | B=8,patch=2,width=8,depth=2,heads=2,hidden=24,image=8,classes=3,drop=0.1 | true"
            })
    void everyBudgetGivesTheSameBits(String name, String settings, boolean recomputesDropout) throws IOException {
        String text = TrialRun.sample(name);
        Compilation keepAll = TrialRun.compile(text, settings, "keep-all");
        Outcome kept = TrialRun.train(keepAll, STEPS, THREADS, false);
        Map<String, ByteBuffer> gradients = gradients(text, settings, options("keep-all"));
        assertThat(gradients).containsKey("loss").hasSizeGreaterThan(4);

        long most = keepAll.plan().arenaBytes();
        long least = TrialRun.compile(text, settings, options(STRATEGY)).plan().arenaBytes();
        assertThat(least).as("smallest arena").isLessThan(most);
        long recomputations = 0;
        long dropouts = 0;
        for (double part : LADDER) {
            long budget = least + (long) (part * (most - least));
            Compilation plan =
                    TrialRun.compile(text, settings, options(STRATEGY).withBudget(budget));
            assertThat(plan.plan().arenaBytes()).isLessThanOrEqualTo(budget);
            Outcome run = TrialRun.train(plan, STEPS, THREADS, true);
            assertThat(run.highWaterBytes()).isEqualTo(plan.plan().arenaBytes());
            assertThat(run.losses()).as("losses within %d of %d", budget, most).isEqualTo(kept.losses());
            assertThat(run.stateHash())
                    .as("state within %d of %d", budget, most)
                    .isEqualTo(kept.stateHash());
            List<Node> clones = clones(plan);
            assertThat(clones).as("recomputed within %d of %d", budget, most).isNotEmpty();
            recomputations = Math.max(recomputations, clones.size());
            dropouts +=
                    clones.stream().filter(node -> node.op() instanceof Dropout).count();
        }
        assertThat(recomputations).isGreaterThan(2);
        if (recomputesDropout) {
            assertThat(dropouts).as("dropouts recomputed").isPositive();
        }
        assertThat(gradients(text, settings, options(STRATEGY))).isEqualTo(gradients);
    }

    private static CompileOptions options(String strategy) {
        return CompileOptions.defaults().withStrategy(strategy).with(Effort.QUICK);
    }

    /** Bits of the loss and of the gradient of every parameter in the first step. */
    private static Map<String, ByteBuffer> gradients(String text, String settings, CompileOptions options) {
        return TrialRun.outputs(TrialRun.compile(text, settings, Purpose.GRADIENTS, options), THREADS);
    }

    private static List<Node> clones(Compilation compilation) {
        return compilation.rematerialized().graph().nodes().stream()
                .filter(Node::isClone)
                .toList();
    }
}
