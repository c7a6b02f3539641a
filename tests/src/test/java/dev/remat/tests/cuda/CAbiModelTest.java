package dev.remat.tests.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Section;
import dev.remat.ir.target.RooflineCost;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.tests.cuda.CProgram.Run;
import dev.remat.tests.promises.TrialRun;
import dev.remat.tests.samples.SampleModel;
import dev.remat.tests.samples.SampleModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sample model trains in a program without Java: Java's bits on the same kernels, and about the CPU's results. */
@Tag("slow")
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

    /** Whole batches that the step cuts by itself, and micro-batches one by one. */
    @Test
    void aBatchInMicroBatchesTrainsFromC() throws IOException {
        String text = TrialRun.sample("mlp");
        ElaboratedModel model =
                TrialRun.cut(text, "B=8,features=6,width=8,depth=2,classes=3", Purpose.TRAIN, 4, DType.F32);
        ExecutionPlan plan = plan(model, new CudaTarget(Architecture.SM_80));
        assertThat(plan.sections()).extracting(Section::times).containsExactly(4, 4, 1);
        KernelProgram program = CudaCodegen.generate(plan, Architecture.SM_80, CodegenOptions.DEFAULT);
        CProgram main = CProgram.build(plan, program, List.of(Architecture.SM_80), folder);
        Path kernels = ShimLibrary.compile(program.kernels(), 1, Files.createDirectory(folder.resolve("kernels")));
        Path java = record("java.recording", plan, program, ShimLibrary.load(kernels, program.kernels()));
        Path cpu = folder.resolve("cpu.recording");
        try (CpuExecutable executable = new CpuExecutable(plan(model, new CpuTarget()))) {
            Recording.write(executable, STEPS, cpu);
        }

        Map<String, String> counted = Map.of("REMAT_TEST_GRAPHS", "count");
        Run whole = main.run(kernels, java, counted, "--exact");
        assertThat(whole.status()).as(whole.out() + whole.err()).isZero();
        // Of each section the first round is launched one by one, whatever the number of rounds.
        int once = program.launches().size();
        int rounds = TestDriver.launchesInRounds(plan, Architecture.SM_80);
        assertThat(whole.err()).contains(STEPS * rounds - once + " launches replayed, held up ");
        Run single = main.run(kernels, java, counted, "--exact", "--rounds", "--time", "2");
        assertThat(single.status()).as(single.out() + single.err()).isZero();
        for (String[] way : new String[][] {{"--tolerance", "1e-4"}, {"--tolerance", "1e-4", "--rounds"}}) {
            Run near = main.run(kernels, cpu, Map.of(), way);
            assertThat(near.status()).as(near.out() + near.err()).isZero();
        }

        Path source = Files.writeString(folder.resolve("cut_batch.cc"), ShimSource.resource("driver/cut_batch.cc"));
        main.compile(source, "cut_batch");
        Run refused = main.run("cut_batch", kernels, Map.of());
        assertThat(refused.err()).isEmpty();
        String needsAll = "Mlp cuts its batch into 4 micro-batches: write all of it to images, 192 bytes, or bring one"
                + " after another for remat_run_micro_batch";
        assertThat(refused.out().lines())
                .containsExactly(
                        "run: " + needsAll,
                        "write: images has 48 bytes a micro-batch, not 47",
                        "read: images has 48 bytes a micro-batch, not 192",
                        "finish: a step is finished after 8 micro-batches, not 0",
                        "later: pass 1 over micro-batch 0 of step 1 does not follow what has run before it",
                        "other step: pass 0 over micro-batch 1 of step 2 does not follow what has run before it",
                        "beyond: pass 2 over micro-batch 0 is none of 2 over 4",
                        "early: a step is finished after 8 micro-batches, not 1",
                        "run whole: taken",
                        "run halves: taken",
                        "run part: " + needsAll);
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
        return plan(sample.tinyModel(), target);
    }

    private static ExecutionPlan plan(ElaboratedModel model, TargetModel target) {
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(model, CompileOptions.defaults().withStrategy("sqrt"))
                .plan();
    }
}
