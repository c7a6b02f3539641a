package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.target.DeviceSpec;
import java.util.Arrays;
import java.util.List;

/** How the time of a training step is spread over kernels, as a roofline has it. */
final class KernelTimes {
    private KernelTimes() {}

    /** Shares by kernel. Every kernel that takes part in a step of the plan counts for the whole of it. */
    static List<Double> shares(ExecutionPlan plan, KernelProgram program, DeviceSpec device) {
        double[] seconds = new double[program.kernels().size()];
        double total =
                plan.steps().stream().mapToDouble(step -> seconds(step, device)).sum();
        int[] lastStep = new int[seconds.length];
        Arrays.fill(lastStep, -1);
        for (Launch launch : program.launches()) {
            if (lastStep[launch.kernel()] != launch.step()) {
                lastStep[launch.kernel()] = launch.step();
                seconds[launch.kernel()] += seconds(plan.steps().get(launch.step()), device);
            }
        }
        return Arrays.stream(seconds).mapToObj(s -> s / total).toList();
    }

    private static double seconds(KernelStep step, DeviceSpec device) {
        double arithmetic = 0;
        for (Instruction instruction : step.body().instructions()) {
            arithmetic += instruction.op().flops(step.body().operandTypes(instruction), instruction.types())
                    / device.flopsPerSecond(instruction.types().getFirst().dtype());
        }
        double bytes = step.reads().stream().mapToDouble(MemoryRead::bytes).sum()
                + step.writes().stream().mapToDouble(MemoryWrite::bytes).sum();
        return Math.max(arithmetic, bytes / device.bytesPerSecond());
    }
}
