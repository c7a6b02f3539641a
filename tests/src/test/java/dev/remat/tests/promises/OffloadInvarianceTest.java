package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.plan.Lane;
import dev.remat.ir.plan.Tier;
import dev.remat.runtime.check.PlanTrial;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.lane.HostPlace;
import dev.remat.runtime.lane.Lanes;
import dev.remat.tests.steps.AllCases;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every sample model trains to the same bits at every budget where the planner moves tensors to a disk, recomputes
 * others, and does both; lanes are late at random, and what has been freed is poisoned.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class OffloadInvarianceTest {
    private static final int STEPS = 3;
    private static final int THREADS = 1;
    /** Parts of what can be saved at all that a plan may take. */
    private static final double[] LADDER =
            AllCases.asked() ? new double[] {0.9, 0.7, 0.5, 0.35, 0.2} : new double[] {0.6, 0.2};

    /**
     * A sample, at a size at which activations are worth a transfer: blocks of 4096 bytes and more.
     *
     * @param parts that a batch is cut into
     */
    record Case(String model, String settings, int parts) {}

    private static final List<Case> CASES = List.of(
            new Case("gpt", "B=16,T=16,vocab=11,width=16,depth=2,heads=2,context=16", 1),
            new Case("gpt", "B=16,T=16,vocab=11,width=16,depth=2,heads=2,context=16", 2),
            new Case("lstm", "B=32,T=3,features=8,width=32,depth=2,classes=5", 1),
            new Case("mlp", "B=256,features=8,width=16,depth=2,classes=3", 1),
            new Case("resnet", "B=2,layers=14,classes=3,width=16,image=32", 1),
            new Case("unet", "B=4,classes=3,width=4,image=16,pad=1", 1),
            new Case("vae", "B=128,pixels=24,hidden=16,latent=8", 1),
            new Case("vit", "B=8,patch=2,width=16,depth=2,heads=2,hidden=32,image=8,classes=3,drop=0.1", 1));

    private static final List<Case> OTHERS = List.of(
            new Case("autoencoder", "B=4,channels=1,width=4,code=4,image=32", 1),
            new Case("bert", "B=8,T=16,vocab=11,width=16,depth=2,heads=2,hidden=32,context=16", 1),
            new Case("llama", "B=8,T=16,vocab=11,width=16,depth=2,heads=2,kv_heads=1,hidden=32", 1),
            new Case("dcgan", "B=8,channels=1,noise=3,width=4", 1),
            new Case("ddpm", "B=4,steps=5,width=8,factors=[1,2],units=1,attends=[false,true],groups=2,image=16", 1),
            new Case("densenet", "B=4,layers=45,classes=3,growth=16,image=32,drop=0.2", 1),
            new Case("mobilenet", "B=3,classes=3,width=1,image=32", 1),
            new Case("randwire", "B=2", 1),
            new Case("resnet-cifar", "B=8,depth=20,classes=3,width=4,image=16", 1),
            new Case("transformer-encdec", "B=8,S=8,T=8,vocab=7,width=16,depth=2,heads=2,hidden=32,context=8", 1),
            new Case("vgg", "B=2,classes=3,width=16,hidden=6,image=32", 1));

    static List<Case> cases() {
        List<Case> cases = new ArrayList<>(CASES);
        cases.addAll(AllCases.asked() ? OTHERS : List.of());
        return cases;
    }

    /** About as fast as these kernels take time, so that some tensors are worth moving and others not. */
    static final List<Tier> TIERS =
            List.of(new Tier("host", 60_000, 20_000_000_000L, 20_000_000_000L, 100), tier(1L << 30));

    private static Tier tier(long bytes) {
        return new Tier("disk", bytes, 6_000_000_000L, 8_000_000_000L, 500);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyBudgetGivesTheSameBits(Case sample) throws IOException {
        ElaboratedModel model =
                TrialRun.cut(TrialRun.sample(sample.model), sample.settings, Purpose.TRAIN, sample.parts, DType.F32);
        Compilation keepAll = TrialRun.compile(model, CompileOptions.defaults().withStrategy("keep-all"));
        PlanTrial kept = train(keepAll.plan(), new Random(0));
        long most = keepAll.plan().arenaBytes();
        long least = TrialRun.compile(
                        model,
                        CompileOptions.defaults().withStrategy("peak-priority").with(Effort.QUICK))
                .plan()
                .arenaBytes();
        CompileOptions tiered = CompileOptions.defaults()
                .with(Effort.QUICK)
                .with(new Below(TIERS, Movable.AUTO))
                .withStrategy("anneal-labels");
        for (double part : LADDER) {
            long budget = least + (long) (part * (most - least));
            ExecutionPlan plan =
                    TrialRun.compile(model, tiered.withBudget(budget)).plan();
            assertThat(plan.arenaBytes()).isLessThanOrEqualTo(budget);
            assertEqual(train(plan, new Random(budget)), kept, "within " + budget);
        }
        ExecutionPlan moving = TrialRun.compile(model, tiered.withStrategy("offload-activations"))
                .plan();
        assertThat(moving.transfers().all())
                .anyMatch(Transfer::isStore)
                .anyMatch(transfer -> transfer.lane() == Lane.FETCH);
        assertEqual(train(moving, new Random(1)), kept, "moving all activations");
    }

    static void assertEqual(PlanTrial trial, PlanTrial kept, String how) {
        assertThat(trial.firstDifference(kept)).as(how).isEmpty();
        assertThat(trial.usesTheArenaExactly()).as(how).isTrue();
    }

    /** Trains with lanes that are late at random. */
    static PlanTrial train(ExecutionPlan plan, Random random) {
        Lanes.Options lanes = new Lanes.Options(
                size -> new HostPlace(size.bytes()), true, _ -> LockSupport.parkNanos(random.nextInt(200_000)));
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(THREADS, true, lanes));
                SyntheticDataset data = new SyntheticDataset()) {
            return PlanTrial.run(executable, data, STEPS);
        }
    }
}
