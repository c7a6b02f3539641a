package dev.remat.tests.bundle;

import java.io.IOException;
import java.util.List;
import java.util.spi.ToolProvider;

/** Runs what bundles are made with; a failure is an exception. */
final class Tool {
    private Tool() {}

    /** A tool of the JDK, in this process. */
    static void run(ToolProvider tool, List<String> words) {
        demandSuccess(tool.name(), tool.run(System.out, System.err, words.toArray(String[]::new)));
    }

    /** A program of this machine. */
    static void run(List<String> command) throws IOException {
        try {
            demandSuccess(
                    command.getFirst(),
                    new ProcessBuilder(command).inheritIO().start().waitFor());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted: " + String.join(" ", command), e);
        }
    }

    private static void demandSuccess(String name, int exit) {
        if (exit != 0) {
            throw new IllegalStateException(name + " ended with " + exit);
        }
    }
}
