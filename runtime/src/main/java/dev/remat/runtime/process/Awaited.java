package dev.remat.runtime.process;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** What this process waits for, or has waited for in vain. */
final class Awaited {
    private final AtomicReference<Supplier<String>> what = new AtomicReference<>();

    /** Waits, for something that is told by name when somebody asks. */
    void run(Runnable wait, Supplier<String> name) {
        what.set(name);
        wait.run();
        what.set(null);
    }

    /** Its name; empty where nothing is waited for. */
    Optional<String> name() {
        return Optional.ofNullable(what.get()).map(Supplier::get);
    }
}
