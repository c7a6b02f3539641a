package dev.remat.codegen.cuda;

import dev.remat.codegen.cuda.cabi.StepSource;
import dev.remat.codegen.cuda.emit.ComposeSource;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.nvrtc.CompiledProgram;
import dev.remat.ir.artifact.ArtifactContent;
import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.artifact.KernelCode;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.LaunchUse;
import dev.remat.ir.execution.ExecutionPlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** Programs of several architectures as one artifact: kernels of equal text become one row of its table. */
public final class AssembleArtifact {
    private final SequencedMap<String, KernelSource> sources = new LinkedHashMap<>();
    private final Map<String, Integer> rows = new LinkedHashMap<>();
    private final List<List<KernelCode>> code = new ArrayList<>();
    private final List<DeviceCode> devices = new ArrayList<>();

    private AssembleArtifact() {}

    /** @param cAbi whether sources for programs without Java are added */
    public static ArtifactContent run(
            BuildInfo build, ExecutionPlan plan, List<CompiledProgram> programs, boolean cAbi) {
        AssembleArtifact assembly = new AssembleArtifact();
        programs.forEach(program -> program.program().kernels().forEach(assembly::row));
        programs.forEach(assembly::device);
        List<ArtifactKernel> kernels = assembly.kernels();
        return new ArtifactContent(
                build,
                plan,
                kernels,
                new ComposeSource().run(List.copyOf(assembly.sources.values())),
                assembly.devices,
                cAbi ? StepSource.files(build, plan, kernels, assembly.devices) : new LinkedHashMap<>());
    }

    private void row(KernelSource kernel) {
        KernelSource known = sources.putIfAbsent(kernel.symbol(), kernel);
        if (known == null) {
            rows.put(kernel.symbol(), rows.size());
            code.add(new ArrayList<>());
        } else if (!known.text().equals(kernel.text())) {
            throw new IllegalArgumentException("two kernels are called " + kernel.symbol());
        }
    }

    private void device(CompiledProgram compiled) {
        KernelProgram program = compiled.program();
        String architecture = compiled.architecture().label();
        List<Optional<LaunchUse>> uses = LaunchUse.of(program.kernels().size(), program.launches());
        List<Integer> rowOf = new ArrayList<>();
        for (int i = 0; i < program.kernels().size(); i++) {
            String symbol = program.kernels().get(i).symbol();
            LaunchUse use = uses.get(i).orElseThrow(() -> new IllegalArgumentException(symbol + " is never launched"));
            rowOf.add(rows.get(symbol));
            code.get(rows.get(symbol))
                    .add(new KernelCode(architecture, compiled.usages().get(i), use));
        }
        List<Launch> launches = program.launches().stream()
                .map(launch -> new Launch(
                        launch.step(),
                        rowOf.get(launch.kernel()),
                        launch.grid(),
                        launch.block(),
                        launch.sharedBytes(),
                        launch.arguments()))
                .toList();
        devices.add(new DeviceCode(architecture, launches, compiled.cubin()));
    }

    private List<ArtifactKernel> kernels() {
        List<ArtifactKernel> kernels = new ArrayList<>();
        for (KernelSource source : sources.values()) {
            KernelEntry entry = source.entry();
            kernels.add(new ArtifactKernel(entry, code.get(rows.get(entry.symbol()))));
        }
        return kernels;
    }
}
