package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.cuda.CProgram.Run;
import dev.remat.tests.samples.SampleModel;
import dev.remat.tests.samples.SampleModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sample model trains in a program without Java: Java's bits on the same kernels, and about the CPU's results. */
class CAbiModelTest {
    private static final int STEPS = 3;
    /** Its upper half counts, too. */
    private static final long SEED = 0x1234_5678_9abcL;

    @TempDir
    Path folder;

    @Test
    void aSampleTrainsFromC() throws IOException {
        SampleModel sample = SampleModels.of("mlp");
        ExecutionPlan plan = plan(sample, new CudaTarget(Architecture.SM_80));
        KernelProgram program = CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
        CProgram main = CProgram.build(plan, program, List.of(Architecture.SM_80), folder);
        Path kernels = ShimLibrary.compile(program.kernels(), 1, Files.createDirectory(folder.resolve("kernels")));

        ShimLibrary library = ShimLibrary.load(kernels, program.kernels());
        Path java = record("java.recording", plan, program, library);
        Run exact = main.run(kernels, java, Map.of(), "--exact");
        assertThat(exact.status()).as(exact.out() + exact.err()).isZero();

        Path reseeded = record("reseeded.recording", plan.withSeed(SEED), program, library);
        Run same = main.run(kernels, reseeded, Map.of(), "--exact", "--seed", String.valueOf(SEED));
        assertThat(same.status()).as(same.out() + same.err()).isZero();
        assertThat(main.run(kernels, reseeded, Map.of(), "--exact").status()).isOne();

        Path cpu = folder.resolve("cpu.recording");
        try (CpuExecutable executable = new CpuExecutable(plan(sample, new CpuTarget()))) {
            Recording.write(executable, STEPS, cpu);
        }
        Run near = main.run(kernels, cpu, Map.of(), "--tolerance", "1e-4");
        assertThat(near.status()).as(near.out() + near.err()).isZero();
    }

    private Path record(String name, ExecutionPlan plan, KernelProgram program, ShimLibrary library)
            throws IOException {
        Path file = folder.resolve(name);
        try (ShimExecutable executable = new ShimExecutable(plan, program, library, ShimOrder.FORWARD, Poison.ONES)) {
            Recording.write(executable, STEPS, file);
        }
        return file;
    }

    private static ExecutionPlan plan(SampleModel sample, TargetModel target) {
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(sample.tinyModel(), CompileOptions.defaults().withStrategy("sqrt"))
                .plan();
    }
}
