package dev.remat.cli.console;

import java.util.concurrent.CountDownLatch;

/**
 * Ctrl-C and kill as a flag, from {@link #begin} on: the process does not end before the work in hand is safe and what
 * it holds given back, which {@link #close} says. It is opened before all that has to be closed.
 */
public final class Interruption implements AutoCloseable {
    private final CountDownLatch safe = new CountDownLatch(1);
    private final Thread hook = new Thread(this::await, "interruption");
    private boolean begun;
    private volatile boolean requested;

    /** Until then a signal ends the process at once. */
    public void begin() {
        begun = true;
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The signal came just now.
            requested = true;
        }
    }

    private void await() {
        requested = true;
        try {
            safe.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public boolean requested() {
        return requested;
    }

    @Override
    public void close() {
        safe.countDown();
        if (begun && !requested) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The signal came just now; the hook has nothing to wait for any more.
                requested = true;
            }
        }
    }
}
