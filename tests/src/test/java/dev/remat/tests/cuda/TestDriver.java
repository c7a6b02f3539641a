package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A CUDA driver whose kernels run in the shim, for other processes: they find it through {@code LD_LIBRARY_PATH}, and
 * the kernels through {@code REMAT_TEST_KERNELS}. {@code libcuda.cc} tells what else can be set.
 */
public final class TestDriver {
    private static final List<String> FILES = List.of("libcuda.cc", "device.h");

    private TestDriver() {}

    /** Compiles the driver into {@code folder}, which is made. */
    public static Path build(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (String file : FILES) {
            Files.writeString(folder.resolve(file), ShimSource.resource("driver/" + file));
        }
        // For what they include of the shim.
        ShimSource.write(List.of(), 1, KernelBuild.PLAIN, folder);
        List<String> command = new ArrayList<>(CProgram.STRICT);
        command.addAll(List.of("-fPIC", "-shared", "-Wl,-soname,libcuda.so.1", "libcuda.cc", "-o", "libcuda.so.1"));
        Path log = folder.resolve("compiler.log");
        Process compiler = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (compiler.waitFor() != 0) {
                throw new IllegalStateException(Files.readString(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted: " + command, e);
        }
        return folder;
    }

    /** Compiles the kernels of plans to a library in {@code folder}, which is made. */
    public static Path kernels(List<ExecutionPlan> plans, Architecture architecture, Path folder) throws IOException {
        List<KernelSource> kernels = new ArrayList<>();
        for (ExecutionPlan plan : plans) {
            kernels.addAll(CudaCodegen.generate(plan, architecture, CodegenOptions.DEFAULT)
                    .kernels());
        }
        return ShimLibrary.compile(kernels, 2, Files.createDirectories(folder));
    }

    /** How many launches a step of a plan has. */
    public static int launches(ExecutionPlan plan, Architecture architecture) {
        return CudaCodegen.generate(plan, architecture, CodegenOptions.DEFAULT)
                .launches()
                .size();
    }

    /** How many launches run in a step, whose sections run in rounds. */
    public static int launchesInRounds(ExecutionPlan plan, Architecture architecture) {
        return CudaCodegen.generate(plan, architecture, CodegenOptions.DEFAULT).launches().stream()
                .mapToInt(launch -> plan.section(launch.step()).times())
                .sum();
    }

    /** Losses by step, and the hash of the state after the last. */
    public record Trained(List<Double> losses, String stateHash) {}

    /** Trains in this process, without driver, on synthetic data. */
    public static Trained train(ExecutionPlan plan, Architecture architecture, Path kernels, int steps) {
        KernelProgram program = CudaCodegen.generate(plan, architecture, CodegenOptions.DEFAULT);
        ShimLibrary library = ShimLibrary.load(kernels, program.kernels());
        try (ShimExecutable executable = new ShimExecutable(plan, program, library, ShimOrder.BACKWARD, Poison.ONES)) {
            Trainer trainer =
                    new Trainer(executable, new SyntheticDataset().training(InputFeed.specs(plan), plan.seed()));
            List<Double> losses = new ArrayList<>();
            for (int step = 0; step < steps; step++) {
                losses.add(trainer.step().loss());
            }
            return new Trained(losses, trainer.state().hash());
        }
    }
}
