package dev.remat.tests.cuda;

import java.util.List;

/** How the system's compiler treats kernels. All ways give the same bits: none reorders or contracts arithmetic. */
enum KernelBuild {
    /** The shim itself, which is compiled once and runs below all kernels. */
    SHIM("-O1"),

    /** Compiles in 0.6 of the time that {@code -O1} takes: for kernels of small steps. */
    PLAIN("-Og"),

    /** Runs products five times as fast and takes twice as long to compile: for kernels of large steps. */
    FAST("-O3"),

    /**
     * Shows the shim each access to memory, by calls of functions that it has, so that shuffled threads are watched for
     * races; runs two to three times as long.
     */
    WATCHED("-Og", "-fsanitize=thread");

    private final List<String> options;

    KernelBuild(String... options) {
        this.options = List.of(options);
    }

    List<String> options() {
        return options;
    }
}
