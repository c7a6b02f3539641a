package dev.remat.codegen.cuda.target;

import java.util.ArrayList;
import java.util.List;

/**
 * What may be chosen about kernels without changing what they compute beyond rounding.
 *
 * @param allowUnverified take families of kernels that have not run on a real GPU yet
 * @param allowTf32 compute products of f32 tensors from operands rounded to tf32
 * @param tiles how tiles of matrix products are chosen
 */
public record CodegenOptions(boolean allowUnverified, boolean allowTf32, TilePolicy tiles) {
    public static final CodegenOptions DEFAULT = new CodegenOptions(false, false);

    private static final String ALLOW_UNVERIFIED = "allow-unverified";
    private static final String ALLOW_TF32 = "allow-tf32";

    public CodegenOptions(boolean allowUnverified, boolean allowTf32) {
        this(allowUnverified, allowTf32, TilePolicy.FASTEST);
    }

    /** Those that {@link #names} gave, among others. */
    public static CodegenOptions ofNames(List<String> names) {
        return new CodegenOptions(names.contains(ALLOW_UNVERIFIED), names.contains(ALLOW_TF32));
    }

    /** Whether kernels of a family may be taken where there are others. */
    public boolean allows(String family) {
        return allowUnverified || VerifiedFamilies.contains(family);
    }

    /** What differs from the default, as users ask for it. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        if (allowUnverified) {
            names.add(ALLOW_UNVERIFIED);
        }
        if (allowTf32) {
            names.add(ALLOW_TF32);
        }
        return names;
    }
}
