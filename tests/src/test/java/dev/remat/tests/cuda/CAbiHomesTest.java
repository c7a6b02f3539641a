package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.tests.cuda.CProgram.Run;
import dev.remat.tests.promises.TrialRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Steps without Java whose batch is cut and whose state lives on the host: every section copies what it reads, in any
 * order that streams and events let it, to the bits of the step whose state stays.
 */
@Tag("slow")
class CAbiHomesTest {
    private static final int STEPS = 3;

    @TempDir
    private Path folder;

    @Test
    void everyOrderGivesTheBitsOfTheStepWhoseStateStays() throws IOException {
        ExecutionPlan moving = CutPlans.plan(CutPlans.STATE_BELOW);
        assertThat(moving.sections()).extracting(Section::times).containsExactly(CutPlans.PARTS, CutPlans.PARTS, 1);
        assertThat(moving.transfers().events())
                .extracting(TransferEvent::before)
                .anyMatch(before -> moving.sections().get(1).contains(before))
                .anyMatch(before -> moving.sections().getLast().contains(before));
        expectSameBits(CutPlans.plan(Below.NOTHING), moving);
    }

    /** Moments of one weight come in slices, which a caller in C writes and reads one by one. */
    @Test
    void slicesGiveTheBitsOfTheWhole() throws IOException {
        String wide = CutPlans.MODEL
                .replace("linear(h, 128)", "linear(linear(h, 1024), 128)")
                .replace(", clip_norm = 1.0", "");
        ElaboratedModel model = TrialRun.cut(wide, "B=4", Purpose.TRAIN, 1, DType.F32);
        ExecutionPlan moving = CutPlans.plan(model, CutPlans.STATE_BELOW);
        assertThat(moving.inputs())
                .filteredOn(input -> input.rows().isPresent())
                .isNotEmpty()
                .noneMatch(ArenaTensor::isInArena);
        expectSameBits(CutPlans.plan(model, Below.NOTHING), moving);
    }

    private void expectSameBits(ExecutionPlan still, ExecutionPlan moving) throws IOException {
        KernelProgram withCopies = CutPlans.generate(moving);
        KernelProgram alone = CutPlans.generate(still);
        CProgram program = CProgram.build(moving, withCopies, List.of(Architecture.SM_80), folder);
        List<KernelSource> sources = new ArrayList<>(alone.kernels());
        sources.addAll(withCopies.kernels());
        Path kernels = TestDriver.compile(sources, folder.resolve("kernels"));
        Path recording = folder.resolve("recording");
        ShimLibrary library = ShimLibrary.load(kernels, alone.kernels());
        try (ShimExecutable executable = new ShimExecutable(still, alone, library, ShimOrder.FORWARD, Poison.ONES)) {
            Recording.write(executable, moving, STEPS, recording);
        }
        for (String order : List.of("late", "early", "1")) {
            for (String graphs : List.of("count", "none")) {
                Run run = program.run(
                        kernels, recording, Map.of("REMAT_TEST_ORDER", order, "REMAT_TEST_GRAPHS", graphs), "--exact");
                assertThat(run.status()).as(order + " " + run.out() + run.err()).isZero();
            }
        }
    }
}
