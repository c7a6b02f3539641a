package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.AssembleArtifact;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.nvrtc.CompiledProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.artifact.ArtifactWriter;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.ir.execution.ExecutionPlan;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code run_step.cc} with an artifact's {@code step.cc}, and a CUDA driver of the tests that runs the kernels through
 * the shim. Nothing of it knows Java.
 */
final class CProgram {
    private static final Path BENCHMARKS = Path.of("").toAbsolutePath().resolve("benchmarks");
    static final List<String> STRICT = List.of("c++", "-std=c++17", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror");

    private final Path folder;

    /** What a run printed and returned. */
    record Run(int status, String out, String err) {}

    private CProgram(Path folder) {
        this.folder = folder;
    }

    /** Writes an artifact whose machine code is but a name, and compiles the program; all in {@code folder}. */
    static CProgram build(ExecutionPlan plan, KernelProgram program, List<Architecture> architectures, Path folder)
            throws IOException {
        CProgram built = ofStage(plan, program, architectures, folder);
        built.compile(BENCHMARKS.resolve("run_step.cc"), "run_step");
        return built;
    }

    /** The same without a program, of a plan that others have to run beside. */
    static CProgram ofStage(ExecutionPlan plan, KernelProgram program, List<Architecture> architectures, Path folder)
            throws IOException {
        CProgram built = new CProgram(folder);
        List<CompiledProgram> compiled =
                architectures.stream().map(a -> compiled(a, program)).toList();
        BuildInfo info = new BuildInfo("test", "13.1-test", "keep-all", List.of(), new LinkedHashMap<>());
        ArtifactWriter.write(built.artifact(), AssembleArtifact.run(info, plan, compiled, true));
        TestDriver.build(folder.resolve("driver"));
        return built;
    }

    /** Compiles the step to a library that hides nothing of another's. */
    Path compileLibrary(String name) throws IOException {
        Path library = folder.resolve(name);
        execute(
                Map.of(),
                strict("-fPIC", "-shared", "-I" + artifact(), step().toString(), "-o", library.toString(), "-ldl"));
        return library;
    }

    /** Compiles a program that loads steps. */
    void compileAlone(Path source, String name) throws IOException {
        execute(
                Map.of(),
                strict(
                        "-I" + artifact(),
                        source.toString(),
                        "-o",
                        folder.resolve(name).toString(),
                        "-ldl"));
    }

    /** Runs what {@link #compileAlone} has made. */
    Run runAlone(String name, Path kernels, Map<String, String> environment, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(List.of(folder.resolve(name).toString()));
        command.addAll(options);
        return start(variables(kernels, environment), command);
    }

    private static CompiledProgram compiled(Architecture architecture, KernelProgram program) {
        byte[] cubin = ("\u007fELF " + architecture.label()).getBytes(StandardCharsets.US_ASCII);
        List<KernelUsage> usages = program.kernels().stream()
                .map(kernel -> new KernelUsage(0, 0, 0, 0, 0, 0, 0))
                .toList();
        return new CompiledProgram(architecture, program, ByteBuffer.wrap(cubin), usages);
    }

    private static List<String> strict(String... more) {
        List<String> command = new ArrayList<>(STRICT);
        command.addAll(List.of(more));
        return command;
    }

    Path artifact() {
        return folder.resolve("artifact");
    }

    /** Compiles another program with the same step. */
    void compile(Path source, String name) throws IOException {
        compile(source, step(), name);
    }

    /** The text of the step that programs are compiled with. */
    Path step() {
        return artifact().resolve("step.cc");
    }

    /** Compiles a program with a step whose text is another. */
    void compile(Path source, Path step, String name) throws IOException {
        execute(
                Map.of(),
                strict(
                        "-I" + artifact(),
                        source.toString(),
                        step.toString(),
                        "-o",
                        folder.resolve(name).toString(),
                        "-ldl"));
    }

    /** Runs a program that {@link #compile} has made on the artifact. */
    Run run(String name, Path kernels, Map<String, String> environment, String... options) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(folder.resolve(name).toString(), artifact().toString()));
        command.addAll(List.of(options));
        return start(variables(kernels, environment), command);
    }

    private Map<String, String> variables(Path kernels, Map<String, String> more) {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("LD_LIBRARY_PATH", folder.resolve("driver").toString());
        variables.put("REMAT_TEST_KERNELS", kernels.toString());
        variables.putAll(more);
        return variables;
    }

    /** Runs the program against a recording, with kernels of this library. */
    Run run(Path kernels, Path recording, Map<String, String> environment, String... options) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(folder.resolve("run_step").toString(), artifact().toString(), recording.toString()));
        command.addAll(List.of(options));
        return start(variables(kernels, environment), command);
    }

    private void execute(Map<String, String> environment, List<String> command) throws IOException {
        Run run = start(environment, command);
        if (run.status() != 0) {
            throw new IllegalStateException(String.join(" ", command) + "\n" + run.out() + run.err());
        }
    }

    private Run start(Map<String, String> environment, List<String> command) throws IOException {
        Path out = folder.resolve("out.log");
        Path err = folder.resolve("err.log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            int status = process.waitFor();
            return new Run(status, head(out), head(err));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            throw new IOException("interrupted: " + command, e);
        }
    }

    private static String head(Path log) throws IOException {
        try (InputStream in = Files.newInputStream(log)) {
            return new String(in.readNBytes(1 << 16), StandardCharsets.UTF_8);
        }
    }
}
