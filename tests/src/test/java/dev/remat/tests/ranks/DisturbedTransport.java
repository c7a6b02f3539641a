package dev.remat.tests.ranks;

import dev.remat.runtime.ranks.Transport;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Of a process to which something happens.
 *
 * @param before it scatters, or sends to a stage
 */
record DisturbedTransport(Transport whole, Runnable before) implements Transport {
    /** Of one that fails there, once it is told to. */
    static DisturbedTransport failing(Transport whole, AtomicBoolean fails) {
        return new DisturbedTransport(whole, () -> {
            if (fails.get()) {
                throw new IllegalStateException("gone");
            }
        });
    }

    @Override
    public boolean runsOn() {
        return whole.runsOn();
    }

    @Override
    public int rank() {
        return whole.rank();
    }

    @Override
    public void await(Begun begun, Supplier<String> what) {
        whole.await(begun, what);
    }

    @Override
    public Begun gather(MemorySegment own, MemorySegment all) {
        return whole.gather(own, all);
    }

    @Override
    public Begun scatter(MemorySegment own, MemorySegment all) {
        before.run();
        return whole.scatter(own, all);
    }

    @Override
    public Begun send(MemorySegment own, int stage) {
        before.run();
        return whole.send(own, stage);
    }

    @Override
    public Begun receive(MemorySegment into, int stage) {
        return whole.receive(into, stage);
    }
}
