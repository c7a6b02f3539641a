package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStage;
import dev.remat.compiler.StageSet;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.pipeline.Visit;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuTarget;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What modes compute again in stages. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StageModesTest {
    private static final Staging GPIPE = new Staging(3, Schedule.GPIPE);
    private static final Staging IN_TURNS = new Staging(3, Schedule.ONE_F_ONE_B);
    private static final int MICRO_BATCHES = 6;

    private final CpuTarget target = new CpuTarget();
    private final RooflineCost costs = new RooflineCost(target.device());
    private final CompileStages compiler = new CompileStages(new Compiler(target, costs), target, costs);
    private ElaboratedModel model;

    @BeforeAll
    void read() throws IOException {
        model = TrialRun.cut(
                TrialRun.sample("gpt"),
                "B=12,T=16,vocab=64,width=64,depth=6,heads=2,context=16",
                Purpose.TRAIN,
                MICRO_BATCHES,
                DType.F32);
    }

    private StageSet plan(Staging staging, String strategy) {
        return compiler.run(model, CompileOptions.defaults().withStrategy(strategy), staging);
    }

    /** Of which micro-batches a stage computes something again. */
    private static Set<Integer> repeated(StageSet set, int stage) {
        PreparedStage prepared = set.prepared().get(stage);
        Compilation plan = set.stages().get(stage);
        boolean[] ran = new boolean[plan.planning().problem().nodeCount()];
        Set<Integer> repeated = new TreeSet<>();
        plan.sequence().steps().forEach(node -> {
            if (ran[node]) {
                prepared.visit(node).map(Visit::microBatch).ifPresent(repeated::add);
            }
            ran[node] = true;
        });
        return repeated;
    }

    @Test
    void modesComputeAgainWhatTheirNamesSay() {
        for (Staging staging : List.of(GPIPE, IN_TURNS)) {
            for (int stage = 0; stage < staging.stages(); stage++) {
                assertThat(repeated(plan(staging, "pipe-never"), stage)).isEmpty();
                assertThat(repeated(plan(staging, "pipe-except-last"), stage)).containsExactly(0, 1, 2, 3, 4);
                assertThat(repeated(plan(staging, "pipe-always"), stage)).containsExactly(0, 1, 2, 3, 4, 5);
            }
        }
    }

    private static List<Long> arenas(StageSet set) {
        return set.plans().stages().stream().map(ExecutionPlan::arenaBytes).toList();
    }

    /** All forward passes before the first backward one: what is not kept of most of them is not in the arena. */
    @Test
    void modesTakeAsMuchLessAsTheyComputeAgain() {
        List<Long> always = arenas(plan(GPIPE, "pipe-always"));
        List<Long> exceptLast = arenas(plan(GPIPE, "pipe-except-last"));
        List<Long> never = arenas(plan(GPIPE, "pipe-never"));
        for (int stage = 0; stage < 3; stage++) {
            assertThat(always.get(stage)).isLessThanOrEqualTo(exceptLast.get(stage));
            assertThat(exceptLast.get(stage)).isLessThan(never.get(stage));
        }
    }
}
