package dev.remat.cli.device;

import dev.remat.cli.console.Console;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.artifact.Manifest;
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

/** A GPU with an artifact's kernels for its plan; other plans get kernels that are compiled now, as these were. */
final class ArtifactOnGpu implements Device {
    private final Artifact artifact;
    private final String architecture;
    private final CudaDevice others;
    private final Gpu gpu;
    private final Console console;

    private ArtifactOnGpu(Artifact artifact, String architecture, CudaDevice others, Gpu gpu, Console console) {
        this.artifact = artifact;
        this.architecture = architecture;
        this.others = others;
        this.gpu = gpu;
        this.console = console;
    }

    /** @throws DeviceException if there is no such GPU, or the artifact has no code for it */
    static ArtifactOnGpu open(int ordinal, Artifact artifact, Console console) {
        Gpu gpu = CudaDriver.load().gpu(ordinal);
        Manifest manifest = artifact.manifest();
        String architecture = gpu.best(manifest.architectures()).orElseThrow(() -> lacking(gpu, artifact));
        CodegenOptions asBuilt = CodegenOptions.ofNames(manifest.build().options());
        CudaDevice others =
                new CudaDevice(gpu, Architecture.ofLabel(architecture).orElseThrow(), asBuilt, console);
        return new ArtifactOnGpu(artifact, architecture, others, gpu, console);
    }

    private static DeviceException lacking(Gpu gpu, Artifact artifact) {
        return new DeviceException(gpu.name() + " is " + gpu.architecture() + ", and " + artifact.folder()
                + " was built for " + String.join(", ", artifact.manifest().architectures()) + "; "
                + gpu.best(Architecture.labels())
                        .map(label -> "build it again with --arch " + label)
                        .orElse("remat makes no kernels for this one"));
    }

    @Override
    public TargetModel target() {
        return others.target();
    }

    @Override
    public TimedExecutable load(ExecutionPlan plan, boolean poison, Places places) {
        return CudaExecutable.load(
                plan, (asked, _) -> program(asked), gpu, CudaExecutable.Options.ofProcess(poison, console::note));
    }

    private CudaProgram program(ExecutionPlan plan) {
        boolean built = plan.equals(artifact.plan().withSeed(plan.seed()).withArena(plan.arenaBytes()));
        return built
                ? CudaProgram.of(
                        artifact.manifest().build(), artifact.manifest().kernels(), artifact.device(architecture))
                : others.compile(plan);
    }

    @Override
    public DeviceSpec measureRates() {
        return others.measureRates();
    }
}
