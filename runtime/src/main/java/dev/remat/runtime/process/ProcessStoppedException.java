package dev.remat.runtime.process;

/** Another process has stopped, and so this one does. */
public final class ProcessStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Stop why;

    ProcessStoppedException(Stop why) {
        super(why.text());
        this.why = why;
    }

    public Stop why() {
        return why;
    }
}
