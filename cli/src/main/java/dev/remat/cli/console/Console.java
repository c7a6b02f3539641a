package dev.remat.cli.console;

import dev.remat.ir.natives.CacheFolder;
import dev.remat.ir.natives.LibraryUnavailableException;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a command talks to: data goes to {@code out}, everything else to {@code err}. Neither lets control characters
 * through, for names come from files that others wrote.
 */
public final class Console {
    private static final int USUAL_COLUMNS = 80;
    /** A terminal that does not know says 0. */
    private static final int LEAST_COLUMNS = 40;

    private final FirstFailure outFailure;
    private final PrintStream data;
    private final PrintStream terminal;
    private final PrintStream out;
    private final PrintStream err;
    private final boolean outIsTerminal;
    private final boolean errIsTerminal;
    private final int columns;
    private final int outColumns;
    private final boolean unicode;
    private final Optional<Path> cache;

    /**
     * Nothing is kept for another.
     *
     * @param outIsTerminal whether help on {@code out} may be coloured
     * @param errIsTerminal whether messages on {@code err} may be coloured and progress drawn
     */
    public Console(OutputStream out, OutputStream err, boolean outIsTerminal, boolean errIsTerminal) {
        this(out, err, outIsTerminal, errIsTerminal, Optional.empty());
    }

    /**
     * The same for a user who has this cache folder.
     *
     * @param cache for what can be made again
     */
    public Console(
            OutputStream out, OutputStream err, boolean outIsTerminal, boolean errIsTerminal, Optional<Path> cache) {
        this(out, err, outIsTerminal, errIsTerminal, USUAL_COLUMNS, USUAL_COLUMNS, true, cache);
    }

    private Console(
            OutputStream out,
            OutputStream err,
            boolean outIsTerminal,
            boolean errIsTerminal,
            int columns,
            int outColumns,
            boolean unicode,
            Optional<Path> cache) {
        this.outFailure = new FirstFailure(out);
        this.data = stream(new BufferedOutputStream(outFailure, 1 << 13));
        this.terminal = stream(new BufferedOutputStream(err, 1 << 13));
        this.out = stream(new EscapeControls(data));
        this.err = stream(new EscapeControls(terminal));
        this.outIsTerminal = outIsTerminal;
        this.errIsTerminal = errIsTerminal;
        this.columns = columns;
        this.outColumns = outColumns;
        this.unicode = unicode;
        this.cache = cache;
    }

    /**
     * The process's own streams; the launcher says in {@code remat.terminal} which of 1 and 2 are terminals, and in
     * {@code remat.columns} how wide the latter is, and in {@code remat.unicode} whether the locale has more
     * characters than ASCII.
     */
    public static Console ofProcess() {
        String terminals = System.getProperty("remat.terminal", "");
        int columns = Math.max(LEAST_COLUMNS, Integer.getInteger("remat.columns", USUAL_COLUMNS));
        boolean plain = System.getenv("NO_COLOR") != null || "dumb".equals(System.getenv("TERM"));
        return new Console(
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                !plain && terminals.contains("1"),
                !plain && terminals.contains("2"),
                columns,
                terminals.contains("1") ? columns : USUAL_COLUMNS,
                Boolean.parseBoolean(System.getProperty("remat.unicode", "true")),
                cacheOfProcess());
    }

    /** None where what the user named cannot be one, which is said where libraries are loaded from it. */
    private static Optional<Path> cacheOfProcess() {
        try {
            return CacheFolder.ofProcess().path();
        } catch (LibraryUnavailableException e) {
            return Optional.empty();
        }
    }

    /**
     * A terminal.
     *
     * @param columns characters that a line has
     * @param unicode whether it shows more than ASCII
     */
    public static Console ofTerminal(OutputStream out, OutputStream err, int columns, boolean unicode) {
        return new Console(out, err, true, true, columns, columns, unicode, Optional.empty());
    }

    /** The same user's, with nobody who listens. */
    public Console silent() {
        return new Console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), false, false, cache);
    }

    private static PrintStream stream(OutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    public PrintStream out() {
        return out;
    }

    public PrintStream err() {
        return err;
    }

    /** {@code out} without escapes: for what must stay as it is, and for help in colour. */
    public PrintStream data() {
        return data;
    }

    /** {@code err} without escapes: for progress that is drawn. */
    public PrintStream terminal() {
        return terminal;
    }

    public boolean outIsTerminal() {
        return outIsTerminal;
    }

    public boolean errIsTerminal() {
        return errIsTerminal;
    }

    /** Whether drawings may use characters beyond ASCII. */
    public boolean unicode() {
        return unicode;
    }

    /** How many characters a line of {@code out} may have: as many as its terminal, or what is usual. */
    public int outColumns() {
        return outColumns;
    }

    /** How many characters a line of {@code err} has, where that is a terminal. */
    public int columns() {
        return columns;
    }

    /** Where the user has things kept that can be made again; empty where nothing is to be kept. */
    public Optional<Path> cache() {
        return cache;
    }

    /** A message for people, on {@code err}. */
    public void note(String message) {
        err.println("remat: " + message);
    }

    /** Why {@code out} has not taken all of what was written so far, if so. */
    public Optional<IOException> lost() {
        return outFailure.get();
    }

    /** Writes what is still buffered; why {@code out} did not take all of its data, if so. */
    public Optional<IOException> flush() {
        out.flush();
        err.flush();
        return outFailure.get();
    }
}
