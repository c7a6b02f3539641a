package dev.remat.runtime.ranks;

/** Where threads wait for each other that run a step together. */
interface Meeting {
    /** Of a thread that is alone in its process. */
    Meeting OF_ONE = new Meeting() {
        @Override
        public void begin(int from) {}

        @Override
        public void stop(Throwable why) {}
    };

    /** @param from the step that all run next; nobody runs yet */
    void begin(int from);

    /** Nobody waits any longer: one has stopped. */
    void stop(Throwable why);
}
