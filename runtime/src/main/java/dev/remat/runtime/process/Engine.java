package dev.remat.runtime.process;

import java.util.List;

/** What moves bytes between processes and is loaded when it is asked for, from jars that nobody else needs. */
public interface Engine {
    /** Its library, as it names itself. */
    String describe();

    /**
     * Joins all ranks.
     *
     * @param network name of the interface that it listens on
     * @param meeting tells all ranks what one has to say, and returns what each says, in their order; asked once
     */
    Messages join(int rank, int ranks, String network, Meet meeting);

    /** Tells all ranks what one has to say, and returns what each says, in their order. */
    @FunctionalInterface
    interface Meet {
        List<byte[]> all(byte[] own);
    }
}
