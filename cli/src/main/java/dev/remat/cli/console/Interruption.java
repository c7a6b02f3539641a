package dev.remat.cli.console;

import java.util.concurrent.CountDownLatch;

/** Ctrl-C and kill as a flag: the process does not end before the work in hand is safe, which {@link #close} says. */
public final class Interruption implements AutoCloseable {
    private final CountDownLatch safe = new CountDownLatch(1);
    private final Thread hook = new Thread(this::await, "interruption");
    private volatile boolean requested;

    public Interruption() {
        Runtime.getRuntime().addShutdownHook(hook);
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
        if (!requested) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The signal came just now; the hook has nothing to wait for any more.
                requested = true;
            }
        }
    }
}
