package dev.remat.cli.console;

/** Says what is being done: on a terminal in one line that is overwritten and goes at the end, else not at all. */
public final class Progress implements AutoCloseable {
    private static final String CLEAR = "\r\u001b[K";

    private final Console console;
    private boolean shown;

    public Progress(Console console) {
        this.console = console;
    }

    public synchronized void tell(String what) {
        if (console.errIsTerminal()) {
            console.terminal().print(CLEAR);
            console.err().print(what + " …");
            console.err().flush();
            shown = true;
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
