package dev.remat.runtime;

/** An executable that can tell how long each step of its plan takes. */
public interface TimedExecutable extends Executable {
    /** Told how long each step took. */
    @FunctionalInterface
    interface StepTimer {
        void ran(int step, long nanos);
    }

    /** From now on tells {@code listener} the time of every step. */
    void time(StepTimer listener);
}
