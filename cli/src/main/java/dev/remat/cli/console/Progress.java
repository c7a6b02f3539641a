package dev.remat.cli.console;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Says what is being done: on a terminal in one line that is overwritten and goes at the end, else, where it takes
 * long, in a line of the log now and then.
 */
public final class Progress implements AutoCloseable {
    private static final String CLEAR = "\r\u001b[K";
    /** Between two lines of a log, and before the first. */
    private static final int SECONDS = 30;

    private final Console console;
    private final LongSupplier nanos;
    private final long begin;
    private long logged;
    private boolean shown;

    public Progress(Console console) {
        this(console, System::nanoTime);
    }

    /** With another clock. */
    Progress(Console console, LongSupplier nanos) {
        this.console = console;
        this.nanos = nanos;
        begin = nanos.getAsLong();
        logged = begin;
    }

    public synchronized void tell(String what) {
        if (console.errIsTerminal()) {
            console.terminal().print(CLEAR);
            console.err().print(what + " …");
            console.err().flush();
            shown = true;
            return;
        }
        long now = nanos.getAsLong();
        if (now - logged >= TimeUnit.SECONDS.toNanos(SECONDS)) {
            console.err().println(what + ", after " + TimeUnit.NANOSECONDS.toSeconds(now - begin) + " s");
            logged = now;
        }
    }

    @Override
    public synchronized void close() {
        if (shown) {
            console.terminal().print(CLEAR);
            console.terminal().flush();
            shown = false;
        }
    }
}
