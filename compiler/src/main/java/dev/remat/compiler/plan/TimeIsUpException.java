package dev.remat.compiler.plan;

/** Ends a trial that nobody waits for any more; what was found before it counts. */
public final class TimeIsUpException extends RuntimeException {
    TimeIsUpException() {
        super("time is up", null, false, false);
    }
}
