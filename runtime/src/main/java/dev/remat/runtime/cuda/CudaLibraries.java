package dev.remat.runtime.cuda;

import dev.remat.ir.natives.NativeLibraries;

/** What stands between Java and the CUDA driver: JavaCPP and its presets, which need the library of CUDA's runtime. */
final class CudaLibraries {
    static final NativeLibraries JAVACPP = NativeLibraries.listed(
            CudaLibraries.class,
            "JavaCPP",
            "org.bytedeco:javacpp with classifier linux-x86_64",
            "org/bytedeco/javacpp/linux-x86_64/");

    /** Loaded after the driver, which they find by its name. */
    static final NativeLibraries PRESETS = NativeLibraries.listed(
            CudaLibraries.class,
            "CUDA presets",
            "org.bytedeco:cuda and org.bytedeco:cuda-redist with classifier linux-x86_64",
            "org/bytedeco/cuda/linux-x86_64/");

    private CudaLibraries() {}

    /** Loads all, and keeps JavaCPP from loading any of them by itself, from a folder that it does not verify. */
    static void load() {
        System.setProperty("org.bytedeco.javacpp.loadlibraries", "false");
        JAVACPP.load();
        PRESETS.load();
    }
}
