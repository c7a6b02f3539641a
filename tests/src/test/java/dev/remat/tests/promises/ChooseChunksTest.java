package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.choose.ChooseMicroBatches;
import dev.remat.compiler.choose.MicroBatchChoice;
import dev.remat.compiler.chunk.ChunkedLoss;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.KernelWork;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.CpuTarget;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Within a budget losses are cut into as many chunks as cost least, and not at all where that saves nothing. */
@Tag("slow")
class ChooseChunksTest {
    /** 4,096 rows of 8,000 classes: logits and their gradient are most of what a step takes. */
    private static final String WIDE = "B=16,T=256,vocab=8000,width=64,depth=2,heads=2,context=256";

    private static Compilation plan(String settings, Chunks chunks, double share) throws IOException {
        return TrialRun.compile(
                TrialRun.sample("gpt"), settings, options(chunks).with(new Budget.Share(share)));
    }

    /** Counts the kernels that it is asked about. */
    private static final class Counted implements CostModel {
        private final AtomicLong kernels = new AtomicLong();

        @Override
        public String name() {
            return "counted";
        }

        @Override
        public long cost(KernelWork work) {
            kernels.incrementAndGet();
            return 1;
        }
    }

    /** Kernels that are priced to prepare a step for a budget that it exceeds. */
    private static long priced(String model, String settings, Chunks chunks) {
        Counted costs = new Counted();
        new Compiler(new CpuTarget(), costs)
                .prepare(
                        TrialRun.elaborate(model, settings, Purpose.TRAIN),
                        options(chunks).with(new Budget.Share(0.7)));
        return costs.kernels.get();
    }

    private static CompileOptions options(Chunks chunks) {
        return CompileOptions.defaults().with(Effort.QUICK).with(chunks);
    }

    @Test
    void nothingIsCutWithoutABudgetOrWhereAllFits() throws IOException {
        Compilation unbounded = TrialRun.compile(TrialRun.sample("gpt"), WIDE, options(Chunks.AUTO));
        assertThat(unbounded.step().chunked()).isEmpty();
        assertThat(plan(WIDE, Chunks.AUTO, 1).step().chunked()).isEmpty();
    }

    @Test
    void aBudgetBelowTheFloorOfTheWholeIsPlannedInChunks() throws IOException {
        Compilation whole = TrialRun.compile(TrialRun.sample("gpt"), WIDE, options(Chunks.OFF));
        long floor = whole.search().floor().bytes();
        double share = 0.6 * floor / whole.plan().arenaBytes();
        assertThatThrownBy(() -> plan(WIDE, Chunks.OFF, share)).isInstanceOf(BudgetException.class);
        Compilation cut = plan(WIDE, Chunks.AUTO, share);
        assertThat(cut.step().chunked())
                .singleElement()
                .extracting(ChunkedLoss::count)
                .satisfies(count -> assertThat(count).isGreaterThanOrEqualTo(2));
        assertThat(cut.plan().arenaBytes()).isLessThanOrEqualTo((long) (0.6 * floor) + 1);
        assertThat(cut.floorOfWhole().bytes()).isEqualTo(floor);
        assertThat(cut.search().floor().bytes()).isLessThan(floor);
    }

    /** A budget is a share of what the whole takes, however it is cut. */
    @Test
    void chunksAreTakenWhereTheyCostLessThanRecomputing() throws IOException {
        Compilation whole = plan(WIDE, Chunks.OFF, 0.9);
        Compilation cut = plan(WIDE, Chunks.AUTO, 0.9);
        assertThat(cut.step().chunked()).isNotEmpty();
        assertThat(cut.cost()).isLessThan(whole.cost());
        assertThat(cut.search().budgetBytes()).isEqualTo(whole.search().budgetBytes());
    }

    /** Logits of 256 classes are a few hundredths of all that is kept: the plans are those without chunks. */
    @Test
    void aNarrowHeadStaysWhole() throws IOException {
        String narrow = "B=16,T=128,vocab=64,width=64,depth=4,heads=2,context=128";
        Compilation whole = plan(narrow, Chunks.OFF, 0.6);
        Compilation auto = plan(narrow, Chunks.AUTO, 0.6);
        assertThat(auto.step().chunked()).isEmpty();
        assertThat(auto.plan()).isEqualTo(whole.plan());
    }

    @Test
    void blocksOfTheModelAreLeftAsTheyAre() throws IOException {
        String blocked = TrialRun.sample("gpt")
                .replace("  loss = cross_entropy(", "  chunks 4 { loss = cross_entropy(")
                .replace("    targets,\n  )", "    targets,\n  ) }");
        Compilation cut = TrialRun.compile(blocked, WIDE, options(Chunks.AUTO).with(new Budget.Share(0.7)));
        assertThat(cut.step().chunked())
                .singleElement()
                .satisfies(loss -> assertThat(loss.count()).isEqualTo(4));
    }

    /** Whatever number of micro-batches is looked at, its chunks are chosen for it, within the same bytes. */
    @Test
    void microBatchesAndChunksAreChosenTogether() throws IOException {
        TargetModel target = new CpuTarget();
        Compiler compiler = new Compiler(target, new RooflineCost(target.device()));
        CompileOptions options = options(Chunks.AUTO).with(new Budget.Share(0.3));
        MicroBatchChoice choice = ChooseMicroBatches.run(
                TrialRun.session(TrialRun.sample("gpt"), WIDE), Purpose.TRAIN, options, compiler, SearchListener.NONE);
        Compilation alone = TrialRun.compile(
                TrialRun.sample("gpt"), WIDE, options(Chunks.OFF).withStrategy("keep-all"));
        assertThat(choice.budgetBytes()).isEqualTo((long) (0.3 * alone.plan().arenaBytes()));
        assertThat(choice.alternatives()).isNotEmpty();
        assertThat(choice.step()).isPresent();
    }

    /** Pixels are no classes; and kernels work through 32 rows at once. */
    @Test
    void aStepWithoutALossToCutIsPreparedOnce() throws IOException {
        String images = TrialRun.sample("autoencoder");
        assertThat(priced(images, "B=8", Chunks.AUTO)).isEqualTo(priced(images, "B=8", Chunks.OFF));
        String few = TrialRun.sample("mlp");
        assertThat(priced(few, "B=32", Chunks.AUTO)).isEqualTo(priced(few, "B=32", Chunks.OFF));
        String text = TrialRun.sample("gpt");
        assertThat(priced(text, WIDE, Chunks.AUTO)).isGreaterThan(priced(text, WIDE, Chunks.OFF));
    }
}
