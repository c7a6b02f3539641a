package dev.remat.cli.device;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.Progress;
import dev.remat.codegen.cuda.CompilePlan;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.nvrtc.CompiledProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.DeviceSpec;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.cuda.CudaDriver;
import dev.remat.runtime.cuda.CudaExecutable;
import dev.remat.runtime.cuda.CudaProgram;
import dev.remat.runtime.cuda.DeviceException;
import dev.remat.runtime.cuda.Gpu;
import dev.remat.runtime.lane.Places;
import java.util.List;

/** A GPU of this machine, whose kernels are compiled when a plan is loaded. */
final class CudaDevice implements Device {
    private final Gpu gpu;
    private final Architecture architecture;
    private final CodegenOptions options;
    private final Console console;

    CudaDevice(Gpu gpu, Architecture architecture, CodegenOptions options, Console console) {
        this.gpu = gpu;
        this.architecture = architecture;
        this.options = options;
        this.console = console;
    }

    /** @throws DeviceException if there is no such GPU, or remat makes no kernels for it */
    static CudaDevice open(int ordinal, CodegenOptions options, Console console) {
        Gpu gpu = CudaDriver.load().gpu(ordinal);
        Architecture architecture = gpu.best(Architecture.labels())
                .flatMap(Architecture::ofLabel)
                .orElseThrow(() -> new DeviceException(gpu.name() + " is " + gpu.architecture()
                        + ", and remat makes kernels for " + String.join(", ", Architecture.labels())
                        + " alone; leave --device away to run on the CPU"));
        return new CudaDevice(gpu, architecture, options, console);
    }

    @Override
    public TargetModel target() {
        return new CudaTarget(architecture);
    }

    @Override
    public TimedExecutable load(ExecutionPlan plan, boolean poison, Places places) {
        return CudaExecutable.load(
                plan, (asked, _) -> compile(asked), gpu, CudaExecutable.Options.ofProcess(poison, console::note));
    }

    /** Those of the architecture's usual card, as its maker tells them. */
    @Override
    public DeviceSpec measureRates() {
        return architecture.device();
    }

    /** Compiles the kernels of a plan for this GPU, or finds them compiled. */
    CudaProgram compile(ExecutionPlan plan) {
        try (Progress progress = new Progress(console)) {
            progress.tell("generating kernels");
            CompileKernels compiler = new CompileKernels(progress::tell);
            CompiledProgram compiled = new CompilePlan(compiler, options)
                    .run(plan, List.of(architecture), _ -> {})
                    .getFirst();
            List<KernelEntry> kernels = compiled.program().kernels().stream()
                    .map(KernelSource::entry)
                    .toList();
            List<Integer> shared =
                    compiled.usages().stream().map(KernelUsage::sharedBytes).toList();
            return new CudaProgram(compiler.compiler(), kernels, shared, compiled.code());
        }
    }
}
