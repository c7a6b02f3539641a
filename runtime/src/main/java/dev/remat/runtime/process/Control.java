package dev.remat.runtime.process;

/** How each process learns that another has stopped, whatever that is doing, and says that it stops itself. */
interface Control extends AutoCloseable {
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
