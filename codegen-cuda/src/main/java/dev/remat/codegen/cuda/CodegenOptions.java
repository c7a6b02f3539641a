package dev.remat.codegen.cuda;

/**
 * What may be chosen about kernels without changing what they compute beyond rounding.
 *
 * @param allowUnverified take families of kernels that have not run on a real GPU yet
 * @param allowTf32 compute products of f32 tensors from operands rounded to tf32
 */
public record CodegenOptions(boolean allowUnverified, boolean allowTf32) {
    public static final CodegenOptions DEFAULT = new CodegenOptions(false, false);
}
