package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.cuda.CudaDriver;
import dev.remat.runtime.cuda.CudaExecutable;
import dev.remat.runtime.cuda.CudaProgram;
import dev.remat.runtime.cuda.DeviceException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;

/**
 * A program that runs steps of {@link TinyProgram} or of {@link MovingPlans}, on zeros, on the tests' driver, and tells
 * what fails.
 */
public final class StepsOnGpu {
    static final String TINY = "tiny";
    static final String MOVING = "moving";
    /** Of a block of each kernel. */
    static final int DECLARED_SHARED = 512;

    private static final int STEPS = 3;

    private StepsOnGpu() {}

    public static void main(String[] words) {
        boolean isTiny = words[0].equals(TINY);
        ExecutionPlan plan = isTiny ? TinyProgram.PLAN : new MovingPlans(Architecture.SM_80).moving();
        KernelProgram program =
                isTiny ? TinyProgram.PROGRAM : CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
        ByteBuffer cubin = ByteBuffer.wrap("\u007fELF".getBytes(StandardCharsets.US_ASCII));
        CudaProgram compiled = new CudaProgram(
                "13.1-test",
                program.kernels().stream().map(KernelSource::entry).toList(),
                Collections.nCopies(program.kernels().size(), DECLARED_SHARED),
                new DeviceCode(Architecture.SM_80.label(), program.launches(), cubin));
        CudaExecutable.Options options = CudaExecutable.Options.ofProcess(false, System.out::println);
        try (CudaExecutable executable =
                CudaExecutable.load(plan, (_, _) -> compiled, CudaDriver.load().gpu(0), options)) {
            for (int step = 1; step <= STEPS; step++) {
                executable.run(step, 0, 0, plan.steps().size());
                System.out.println("step " + step);
            }
        } catch (DeviceException e) {
            System.out.println(e.getMessage());
        }
    }
}
