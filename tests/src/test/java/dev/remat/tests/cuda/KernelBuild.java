package dev.remat.tests.cuda;

import java.util.List;

/** How the system's compiler treats kernels. All ways give the same bits: none reorders or contracts arithmetic. */
enum KernelBuild {
    /** Compiles quickly: for kernels of small steps. */
    PLAIN("-O1"),

    /** Runs products five times as fast and takes twice as long to compile: for kernels of large steps. */
    FAST("-O3"),

    /**
     * Shows the shim each access to memory, by calls of functions that it has, so that shuffled threads are watched for
     * races; runs two to three times as long.
     */
    WATCHED("-O1", "-fsanitize=thread");

    private final List<String> options;

    KernelBuild(String... options) {
        this.options = List.of(options);
    }

    List<String> options() {
        return options;
    }
}
