package dev.remat.runtime.process;

import java.util.Optional;
import java.util.function.Supplier;

/** How each process learns that another has stopped, whatever that is doing, and says that it stops itself. */
interface Control extends AutoCloseable {
    /** Who learns of others. */
    @FunctionalInterface
    interface Listener {
        /** A process has stopped, and so all do; said once. */
        void stopped(Stop why);

        /** No rank has ended a step for long. */
        default void stalled(String where) {}
    }

    /** Asked now and then for what this process waits for, if it does, so that others can say it. */
    void tells(Supplier<Optional<String>> awaited);

    /** The training step that is done. */
    void done(long step);

    /** Says why this process stops, so that all do. */
    void stop(Stop why);

    /** Returns when the first rank has ended, which has the word then, or takes too long for it. */
    void awaitFirst();

    /** From now on nobody is missed who ends. */
    void leave();

    @Override
    void close();
}
