package dev.remat.cli.device;

import dev.remat.codegen.cuda.target.CodegenOptions;
import picocli.CommandLine.Option;

/** Which kernels a GPU gets. */
public final class KernelOptions {
    @Option(names = "--allow-unverified", description = "Take kernels that have not run on a real GPU yet, too.")
    private boolean allowUnverified;

    @Option(names = "--allow-tf32", description = "Compute products of f32 tensors from operands rounded to tf32.")
    private boolean allowTf32;

    public CodegenOptions options() {
        return new CodegenOptions(allowUnverified, allowTf32);
    }
}
