package dev.remat.codegen.cuda.predict;

import dev.remat.ir.artifact.KernelEntry;
import java.util.Locale;

/** What a kernel is part of: where a step's time is looked for. */
public enum KernelGroup {
    /** Matrix products and convolutions, and what adds their splits. */
    PRODUCTS,
    ATTENTION,
    OTHERS;

    public static KernelGroup of(KernelEntry kernel) {
        String family = kernel.family();
        if (family.startsWith("gemm_") || family.equals("split_k")) {
            return PRODUCTS;
        }
        return family.startsWith("attention") ? ATTENTION : OTHERS;
    }

    /** As reports name it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
