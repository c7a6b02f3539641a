package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.RooflineCost;
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
    private static final int PARTS = 4;
    private static final Tier HOST = new Tier(PlaceSize.HOST, 1L << 40, 2_000_000_000, 1_500_000_000, 500);
    private static final String MODEL = """
        remat 1

        model Cut {
          symbol B
          input x: f32[B, 128]
          input targets: i32[B]

          h = x
          repeat 2 { h = h + dropout(linear(h, 128) |> gelu, 0.25) }
          loss = cross_entropy(linear(h, 4) as out, targets, ignore_index = 1)
        }

        train {
          minimize loss
          optimizer adamw(lr = 1e-2, clip_norm = 1.0)
          seed 3
        }
        """;

    @TempDir
    private Path folder;

    private static ExecutionPlan plan(Below below) {
        return plan(TrialRun.cut(MODEL, "B=16", Purpose.TRAIN, PARTS, DType.F32), below);
    }

    private static ExecutionPlan plan(ElaboratedModel model, Below below) {
        CudaTarget target = new CudaTarget(Architecture.SM_80);
        CompileOptions options = CompileOptions.defaults().with(below);
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(model, below.isNothing() ? options : options.withStrategy("offload-state"))
                .plan();
    }

    private static KernelProgram generate(ExecutionPlan plan) {
        return CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
    }

    @Test
    void everyOrderGivesTheBitsOfTheStepWhoseStateStays() throws IOException {
        ExecutionPlan moving = plan(new Below(List.of(HOST), Movable.STATE));
        assertThat(moving.sections()).extracting(Section::times).containsExactly(PARTS, PARTS, 1);
        assertThat(moving.transfers().events())
                .extracting(TransferEvent::before)
                .anyMatch(before -> moving.sections().get(1).contains(before))
                .anyMatch(before -> moving.sections().getLast().contains(before));
        expectSameBits(plan(Below.NOTHING), moving);
    }

    /** Moments of one weight come in slices, which a caller in C writes and reads one by one. */
    @Test
    void slicesGiveTheBitsOfTheWhole() throws IOException {
        String wide =
                MODEL.replace("linear(h, 128)", "linear(linear(h, 1024), 128)").replace(", clip_norm = 1.0", "");
        ElaboratedModel model = TrialRun.cut(wide, "B=4", Purpose.TRAIN, 1, DType.F32);
        ExecutionPlan moving = plan(model, new Below(List.of(HOST), Movable.STATE));
        assertThat(moving.inputs())
                .filteredOn(input -> input.rows().isPresent())
                .isNotEmpty()
                .noneMatch(ArenaTensor::isInArena);
        expectSameBits(plan(model, Below.NOTHING), moving);
    }

    private void expectSameBits(ExecutionPlan still, ExecutionPlan moving) throws IOException {
        KernelProgram withCopies = generate(moving);
        KernelProgram alone = generate(still);
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
