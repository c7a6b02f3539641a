package dev.remat.runtime.process;

/** Another process has stopped, and so this one does. */
public final class ProcessStoppedException extends RuntimeException {
    private final transient Stop why;

    private final String who;

    /** @param who stops, to people */
    ProcessStoppedException(Stop why, String who) {
        super(why.text());
        this.why = why;
        this.who = who;
    }

    /** The process that stops, to people. */
    public String who() {
        return who;
    }

    public Stop why() {
        return why;
    }
}
