package dev.remat.codegen.cuda;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.nvrtc.CompiledProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.execution.ExecutionPlan;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;

/** Execution plan to machine code, for any number of architectures; {@link #run} lists the stages. */
public record CompilePlan(CompileKernels compiler, CodegenOptions options) {
    /**
     * One program for each architecture, in their order.
     *
     * @param finished is told the name of each stage when it is over: {@code generate}, {@code compile}
     * @throws dev.remat.codegen.cuda.nvrtc.KernelCompilationException if a kernel is refused
     * @throws dev.remat.ir.natives.LibraryUnavailableException if NVRTC is needed and cannot be loaded
     */
    public List<CompiledProgram> run(ExecutionPlan plan, List<Architecture> architectures, Consumer<String> finished) {
        SequencedMap<Architecture, KernelProgram> programs = new LinkedHashMap<>();
        for (Architecture architecture : architectures) {
            programs.put(architecture, CudaCodegen.generate(plan, architecture, options));
        }
        finished.accept("generate");
        List<CompiledProgram> compiled = compiler.run(programs);
        finished.accept("compile");
        return compiled;
    }
}
