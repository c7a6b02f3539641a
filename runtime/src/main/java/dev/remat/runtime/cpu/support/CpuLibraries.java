package dev.remat.runtime.cpu.support;

import dev.remat.ir.natives.NativeLibraries;

/** The native libraries that CPU kernels call. */
public final class CpuLibraries {
    /** For convolutions and for products of f32: any step may multiply. */
    public static final NativeLibraries ONEDNN = NativeLibraries.listed(
            CpuLibraries.class,
            "oneDNN",
            "org.bytedeco:dnnl with classifier linux-x86_64",
            "org/bytedeco/dnnl/linux-x86_64/");

    /** For products of f64. */
    public static final NativeLibraries OPENBLAS = NativeLibraries.listed(
            CpuLibraries.class,
            "OpenBLAS",
            "org.bytedeco:openblas with classifier linux-x86_64",
            "org/bytedeco/openblas/linux-x86_64/");

    private CpuLibraries() {}
}
