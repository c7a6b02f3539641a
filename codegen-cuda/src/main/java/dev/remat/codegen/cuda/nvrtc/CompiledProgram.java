package dev.remat.codegen.cuda.nvrtc;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.artifact.KernelUsage;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A program with its machine code.
 *
 * @param cubin an ELF file with all kernels
 * @param usages what each kernel takes, in the order of the program's kernels
 */
public record CompiledProgram(
        Architecture architecture, KernelProgram program, ByteBuffer cubin, List<KernelUsage> usages) {
    public CompiledProgram {
        usages = List.copyOf(usages);
        if (usages.size() != program.kernels().size()) {
            throw new IllegalArgumentException(
                    usages.size() + " usages of " + program.kernels().size() + " kernels");
        }
    }

    /** What a GPU needs of it; its launches name the program's kernels. */
    public DeviceCode code() {
        return new DeviceCode(architecture.label(), program.launches(), cubin);
    }
}
