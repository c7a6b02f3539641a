package dev.remat.cli.passes;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.ExecutionPlan;
import java.util.ArrayList;
import java.util.List;

/** CUDA kernels of a plan, as {@code remat build} writes them for the target's first architecture. */
final class CudaCode {
    private CudaCode() {}

    static StepCode of(ExecutionPlan plan, CudaTarget target) {
        KernelProgram program =
                CudaCodegen.generate(plan, target.architectures().getFirst(), CodegenOptions.DEFAULT);
        List<List<StepCode.Launched>> launches = new ArrayList<>();
        plan.steps().forEach(_ -> launches.add(new ArrayList<>()));
        for (Launch launch : program.launches()) {
            launches.get(launch.step()).add(new StepCode.Launched(launch.kernel(), how(launch), List.of()));
        }
        // One launch carries out a run of updates, of which it names the first.
        for (int k = 1; k < launches.size(); k++) {
            if (launches.get(k).isEmpty()) {
                for (StepCode.Launched earlier : launches.get(k - 1)) {
                    launches.get(k)
                            .add(new StepCode.Launched(earlier.text(), "in the launch of an earlier step", List.of()));
                }
            }
        }
        return new StepCode(
                "CUDA C++", program.kernels().stream().map(KernelSource::text).toList(), launches);
    }

    private static String how(Launch launch) {
        return "grid " + extent(launch.grid()) + ", block " + extent(launch.block())
                + (launch.sharedBytes() == 0 ? "" : ", " + launch.sharedBytes() + " shared bytes");
    }

    private static String extent(Extent3 extent) {
        return extent.x() + " × " + extent.y() + " × " + extent.z();
    }
}
