package dev.remat.runtime.process;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** What this process waits for, or has waited for in vain. */
final class Awaited {
    private final AtomicReference<Supplier<String>> what = new AtomicReference<>();
    private final AtomicLong nanos = new AtomicLong();

    /** Waits, for something that is told by name when somebody asks. */
    void run(Runnable wait, Supplier<String> name) {
        what.set(name);
        long begin = System.nanoTime();
        wait.run();
        nanos.addAndGet(System.nanoTime() - begin);
        what.set(null);
    }

    /** How long has been waited for all of it. */
    long nanos() {
        return nanos.get();
    }

    /** Its name; empty where nothing is waited for. */
    Optional<String> name() {
        return Optional.ofNullable(what.get()).map(Supplier::get);
    }
}
