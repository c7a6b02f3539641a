package dev.remat.codegen.cuda;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.nvrtc.CompiledProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.ArtifactContent;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.execution.ExecutionPlan;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Execution plan to artifact, for any number of architectures; {@link #run} lists the stages. What it returns is
 * written by {@link dev.remat.ir.artifact.ArtifactWriter}.
 */
public final class BuildArtifact {
    private final CompileKernels compiler;
    private final CodegenOptions options;
    private final List<String> asked;
    private final boolean cAbi;

    /**
     * @param asked what else was asked for, for the manifest
     * @param cAbi whether sources for programs without Java are added
     */
    public BuildArtifact(CompileKernels compiler, CodegenOptions options, List<String> asked, boolean cAbi) {
        this.compiler = compiler;
        this.options = options;
        this.asked = List.copyOf(asked);
        this.cAbi = cAbi;
    }

    /**
     * @param strategy that made the plan
     * @param settings symbols and hyper-parameters that were set, as they were written
     * @param finished is told the name of each stage when it is over: {@code generate}, {@code compile}
     * @throws dev.remat.codegen.cuda.nvrtc.KernelCompilationException if a kernel is refused
     * @throws dev.remat.ir.natives.LibraryUnavailableException if NVRTC is needed and cannot be loaded
     */
    public ArtifactContent run(
            ExecutionPlan plan,
            List<Architecture> architectures,
            String version,
            String strategy,
            SequencedMap<String, String> settings,
            Consumer<String> finished) {
        SequencedMap<Architecture, KernelProgram> programs = new LinkedHashMap<>();
        for (Architecture architecture : architectures) {
            programs.put(architecture, CudaCodegen.generate(plan, architecture, options));
        }
        finished.accept("generate");
        List<CompiledProgram> compiled = compiler.run(programs);
        finished.accept("compile");
        List<String> names =
                Stream.concat(asked.stream(), options.names().stream()).toList();
        BuildInfo build = new BuildInfo(version, compiler.compiler(), strategy, names, settings);
        return AssembleArtifact.run(build, plan, compiled, cAbi);
    }
}
