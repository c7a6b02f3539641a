package dev.remat.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Where a command talks to: data goes to {@code out}, everything else to {@code err}.
 *
 * @param outIsTerminal whether help on {@code out} may be coloured
 * @param errIsTerminal whether messages on {@code err} may be coloured and progress drawn
 */
public record Console(PrintStream out, PrintStream err, boolean outIsTerminal, boolean errIsTerminal) {
    /** The process's own streams; the launcher says in {@code remat.terminal} which of 1 and 2 are terminals. */
    static Console ofProcess() {
        String terminals = System.getProperty("remat.terminal", "");
        boolean plain = System.getenv("NO_COLOR") != null || "dumb".equals(System.getenv("TERM"));
        return new Console(stream(FileDescriptor.out), stream(FileDescriptor.err),
                !plain && terminals.contains("1"), !plain && terminals.contains("2"));
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new BufferedOutputStream(new FileOutputStream(descriptor), 1 << 13), true,
                StandardCharsets.UTF_8);
    }

    /** A message for people, on {@code err}. */
    void note(String message) {
        err.println("remat: " + message);
    }
}
