package dev.remat.codegen.cuda.emit;

import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.SharedMemory;
import dev.remat.ir.diagnostic.Location;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Gathers the launches of one plan and keeps one of each kernel. */
public final class Emitter {
    private final Architecture architecture;
    private final CodegenOptions options;
    private final Map<String, Integer> numbers = new LinkedHashMap<>();
    private final List<KernelSource> kernels = new ArrayList<>();
    private final List<Launch> launches = new ArrayList<>();

    public Emitter(Architecture architecture, CodegenOptions options) {
        this.architecture = architecture;
        this.options = options;
    }

    public Architecture architecture() {
        return architecture;
    }

    public CodegenOptions options() {
        return options;
    }

    /** Launches {@code call} as the next part of step {@code step}. */
    public void launch(int step, Location location, KernelCall call) {
        if (call.sharedBytes() > SharedMemory.mostOfBlock(architecture.label())) {
            throw new IllegalStateException(call.sharedBytes() + " bytes of shared memory on " + architecture.label());
        }
        KernelSource source = call.source(location.equals(Location.NONE) ? "" : location.toString());
        Integer number = numbers.putIfAbsent(source.symbol(), kernels.size());
        if (number == null) {
            number = kernels.size();
            kernels.add(source);
        }
        launches.add(new Launch(step, number, call.grid(), call.block(), call.sharedBytes(), call.arguments()));
    }

    public KernelProgram program() {
        return new KernelProgram(kernels, launches);
    }
}
