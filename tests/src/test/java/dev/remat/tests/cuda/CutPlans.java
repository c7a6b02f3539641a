package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.RooflineCost;
import dev.remat.tests.promises.TrialRun;
import java.util.List;

/** Plans of a small step for GPUs that cuts its batch, and whose state lives on the host or does not. */
final class CutPlans {
    static final int PARTS = 4;
    static final Below STATE_BELOW =
            new Below(List.of(new Tier(PlaceSize.HOST, 1L << 40, 2_000_000_000, 1_500_000_000, 500)), Movable.STATE);
    static final String MODEL = """
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

    private CutPlans() {}

    static ExecutionPlan plan(Below below) {
        return plan(TrialRun.cut(MODEL, "B=16", Purpose.TRAIN, PARTS, DType.F32), below);
    }

    static ExecutionPlan plan(ElaboratedModel model, Below below) {
        CudaTarget target = new CudaTarget(Architecture.SM_80);
        CompileOptions options = CompileOptions.defaults().with(below);
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(model, below.isNothing() ? options : options.withStrategy("offload-state"))
                .plan();
    }

    static KernelProgram generate(ExecutionPlan plan) {
        return CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
    }
}
