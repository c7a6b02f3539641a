package dev.remat.runtime.ranks;

/** Where threads wait for each other that run a step together. */
interface Meeting {
    /** @param from the step that all run next; nobody runs yet */
    void begin(int from);

    /** Nobody waits any longer: one has stopped. */
    void stop(Throwable why);
}
