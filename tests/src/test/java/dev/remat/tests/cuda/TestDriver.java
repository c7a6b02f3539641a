package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.emit.ComposeSource;
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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * A CUDA driver whose kernels run in the shim, for other processes: they find it through {@code LD_LIBRARY_PATH}, and
 * the kernels through {@code REMAT_TEST_KERNELS}. {@code libcuda.cc} tells what else can be set.
 */
public final class TestDriver {
    /** Libraries by name: whatever folder they are compiled in, they are the same. */
    private static final Map<String, byte[]> BUILT = new ConcurrentHashMap<>();

    private static final int UNITS = 2;

    private TestDriver() {}

    /** Compiles the driver into {@code folder}, which is made. */
    public static Path build(Path folder) throws IOException {
        Files.createDirectories(folder);
        // For what the driver includes of the shim.
        ShimSource.write(List.of(), 1, KernelBuild.PLAIN, folder);
        Files.writeString(folder.resolve("device.h"), ShimSource.resource("driver/device.h"));
        build("libcuda.cc", "libcuda.so.1", folder);
        return folder;
    }

    /** Compiles the driver's management library into {@code folder}. */
    public static void buildSensors(Path folder) throws IOException {
        build("sensors.cc", "libnvidia-ml.so.1", folder);
    }

    private static void build(String source, String library, Path folder) throws IOException {
        Files.writeString(folder.resolve(source), ShimSource.resource("driver/" + source));
        byte[] built = BUILT.get(library);
        if (built != null) {
            Files.write(folder.resolve(library), built);
            return;
        }
        List<String> command = new ArrayList<>(CProgram.STRICT);
        command.addAll(List.of("-fPIC", "-shared", "-Wl,-soname," + library, source, "-o", library));
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
        BUILT.put(library, Files.readAllBytes(folder.resolve(library)));
    }

    /** Compiles the kernels of plans to a library in {@code folder}, which is made. */
    public static Path kernels(List<ExecutionPlan> plans, Architecture architecture, Path folder) throws IOException {
        return kernels(plans, architecture, UnaryOperator.identity(), folder);
    }

    /** @param texts from a kernel's text to the one that is compiled, which may be wrong on purpose */
    public static Path kernels(
            List<ExecutionPlan> plans, Architecture architecture, UnaryOperator<String> texts, Path folder)
            throws IOException {
        List<KernelSource> kernels = new ArrayList<>();
        for (ExecutionPlan plan : plans) {
            kernels.addAll(CudaCodegen.generate(plan, architecture, CodegenOptions.DEFAULT)
                    .kernels());
        }
        kernels.replaceAll(kernel -> new KernelSource(kernel.entry(), kernel.headers(), texts.apply(kernel.text())));
        Files.createDirectories(folder);
        return ShimLibrary.compile(
                ShimSource.share(kernels, UNITS, ComposeSource::resource), KernelBuild.PLAIN, folder);
    }

    /** Compiles kernels to a library in {@code folder}, which is made. */
    public static Path compile(List<KernelSource> kernels, Path folder) throws IOException {
        return ShimLibrary.compile(kernels, UNITS, Files.createDirectories(folder));
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
