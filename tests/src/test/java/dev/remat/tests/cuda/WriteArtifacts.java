package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.AssembleArtifact;
import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.nvrtc.CompiledProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.ArtifactWriter;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.ir.execution.ExecutionPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;

/**
 * Artifacts of several plans that have most of their kernels in common. These are compiled together, each once, so that
 * all artifacts have the same machine code.
 */
public final class WriteArtifacts {
    private final List<Architecture> architectures;
    private final CodegenOptions options;
    private final CompileKernels compiler;

    /** @param progress is told in a few words what is being done */
    public WriteArtifacts(List<Architecture> architectures, CodegenOptions options, Consumer<String> progress) {
        this.architectures = List.copyOf(architectures);
        this.options = options;
        this.compiler = new CompileKernels(progress);
    }

    /**
     * Writes an artifact for each plan.
     *
     * @param plans by the folder of their artifact
     * @param beside further files of each artifact, by name
     */
    public void run(SequencedMap<Path, ExecutionPlan> plans, SequencedMap<String, String> beside) throws IOException {
        SequencedMap<Architecture, KernelProgram> together = new LinkedHashMap<>();
        for (Architecture architecture : architectures) {
            together.put(
                    architecture,
                    union(plans.values().stream()
                            .map(plan -> CudaCodegen.generate(plan, architecture, options))
                            .toList()));
        }
        List<CompiledProgram> compiled = compiler.run(together);
        BuildInfo info = new BuildInfo("0", compiler.compiler(), "none", options.names(), new LinkedHashMap<>());
        for (Map.Entry<Path, ExecutionPlan> entry : plans.entrySet()) {
            List<CompiledProgram> own = compiled.stream()
                    .map(all -> part(all, CudaCodegen.generate(entry.getValue(), all.architecture(), options)))
                    .toList();
            ArtifactWriter.write(
                    entry.getKey(),
                    AssembleArtifact.run(info, entry.getValue(), own, false).with(beside));
        }
    }

    /** The kernels of all programs, each once. */
    private static KernelProgram union(List<KernelProgram> programs) {
        SequencedMap<String, KernelSource> kernels = new LinkedHashMap<>();
        programs.forEach(program -> program.kernels().forEach(kernel -> kernels.putIfAbsent(kernel.symbol(), kernel)));
        return new KernelProgram(List.copyOf(kernels.values()), List.of());
    }

    private static CompiledProgram part(CompiledProgram all, KernelProgram program) {
        Map<String, KernelUsage> usages = new LinkedHashMap<>();
        for (int i = 0; i < all.usages().size(); i++) {
            usages.put(all.program().kernels().get(i).symbol(), all.usages().get(i));
        }
        List<KernelUsage> own = new ArrayList<>();
        program.kernels().forEach(kernel -> own.add(usages.get(kernel.symbol())));
        return new CompiledProgram(all.architecture(), program, all.cubin(), own);
    }
}
