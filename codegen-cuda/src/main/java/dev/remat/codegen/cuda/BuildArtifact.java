package dev.remat.codegen.cuda;

import dev.remat.codegen.cuda.nvrtc.CompiledProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.artifact.ArtifactContent;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.execution.ExecutionPlan;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Execution plan to artifact, for any number of architectures. What it returns is written by {@link
 * dev.remat.ir.artifact.ArtifactWriter}.
 *
 * @param asked what else was asked for, for the manifest
 * @param cAbi whether sources for programs without Java are added
 */
public record BuildArtifact(CompilePlan compile, List<String> asked, boolean cAbi) {
    public BuildArtifact {
        asked = List.copyOf(asked);
    }

    /**
     * @param strategy that made the plan
     * @param settings symbols and hyper-parameters that were set, as they were written
     * @param finished is told the name of each stage of {@link CompilePlan#run} when it is over
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
        List<CompiledProgram> compiled = compile.run(plan, architectures, finished);
        List<String> names = Stream.concat(asked.stream(), compile.options().names().stream())
                .toList();
        BuildInfo build = new BuildInfo(version, compile.compiler().compiler(), strategy, names, settings);
        return AssembleArtifact.run(build, plan, compiled, cAbi);
    }
}
