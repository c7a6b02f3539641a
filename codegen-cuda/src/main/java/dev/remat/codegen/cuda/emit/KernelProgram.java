package dev.remat.codegen.cuda.emit;

import dev.remat.ir.artifact.Launch;
import java.util.List;

/**
 * An execution plan as kernels and their launches: text and numbers, a function of the plan and the architecture alone.
 *
 * @param kernels each once, in the order of first use
 * @param launches in the order of the plan's steps
 */
public record KernelProgram(List<KernelSource> kernels, List<Launch> launches) {
    public KernelProgram {
        kernels = List.copyOf(kernels);
        launches = List.copyOf(launches);
    }
}
