package dev.remat.cli.device;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.console.Console;
import dev.remat.cli.option.tier.BelowOptions;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.compiler.error.Suggestion;
import dev.remat.ir.artifact.Artifact;
import dev.remat.ir.execution.StageMessages;
import dev.remat.runtime.cuda.CudaDriver;
import dev.remat.runtime.cuda.MeasureLink;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What to run on. */
public final class DeviceOption extends CheckedOptions {
    private static final String CPU = "cpu";
    private static final String CUDA = "cuda";
    private static final Pattern NUMBERED = Pattern.compile(CUDA + "(?::([0-9]{1,3}))?");

    @Option(
            names = "--device",
            paramLabel = "NAME",
            defaultValue = CPU,
            description = "What to run on: cpu, or cuda for an NVIDIA GPU; cuda:1 is the second. Default: cpu.")
    private String name = CPU;

    @Mixin
    private KernelOptions kernels;

    /** @throws ParameterException if there is no such device, or an option of kernels does not concern it */
    public void check() {
        if (!name.equals(CPU) && !NUMBERED.matcher(name).matches()) {
            String nearest = Suggestion.note(name, List.of(CPU, CUDA))
                    .map(note -> "; " + note)
                    .orElse("");
            throw misuse("unknown device '" + name + "'" + nearest + " (devices: cpu, cuda, cuda:1 and so on)");
        }
        if (name.equals(CPU) && !kernels.options().equals(CodegenOptions.DEFAULT)) {
            throw misuse(
                    "--" + kernels.options().names().getFirst() + " is about kernels of GPUs; it needs --device cuda");
        }
    }

    /**
     * Finds out whether it can move tensors where the user lets it.
     *
     * @throws ParameterException if not
     */
    public void check(BelowOptions below) {
        if (!name.equals(CPU)) {
            below.demandReachOfGpus();
            below.measureHostBy(() -> MeasureLink.of(CudaDriver.load().gpu(ordinal())));
        }
        below.checkPlaces();
    }

    /**
     * The device, ready for an artifact.
     *
     * @throws ParameterException if it is not a GPU
     * @throws dev.remat.runtime.cuda.DeviceException if it cannot be used, or the artifact has no code for it
     */
    public Device open(Artifact artifact, Console console) {
        check();
        if (!StageMessages.of(artifact.plan()).isEmpty()) {
            throw misuse(artifact.folder() + " is one of several stages, which run side by side by their C ABI; build"
                    + " the step without --stages");
        }
        if (name.equals(CPU)) {
            throw misuse(artifact.folder() + " holds kernels for GPUs; it needs --device cuda");
        }
        return ArtifactOnGpu.open(ordinal(), artifact, console);
    }

    private int ordinal() {
        Matcher cuda = NUMBERED.matcher(name);
        return cuda.matches() && cuda.group(1) != null ? Integer.parseInt(cuda.group(1)) : 0;
    }

    /**
     * The device, ready to be planned for and loaded onto.
     *
     * @throws ParameterException as {@link #check}
     * @throws dev.remat.runtime.cuda.DeviceException if it is a GPU, and there is none or none that can be used
     */
    public Device open(Console console) {
        check();
        return name.equals(CPU) ? new CpuDevice() : CudaDevice.open(ordinal(), kernels.options(), console);
    }
}
