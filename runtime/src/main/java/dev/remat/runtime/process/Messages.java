package dev.remat.runtime.process;

import dev.remat.runtime.ranks.Transport.Begun;
import java.lang.foreign.MemorySegment;

/** Moves bytes between processes that are a rank each. Messages from one to another come in the order of sending. */
public interface Messages extends AutoCloseable {
    int rank();

    int ranks();

    /** @param bytes in native memory, which stay as they are until the message has ended */
    Begun send(MemorySegment bytes, int to);

    /** @param into native memory of as many bytes as are sent */
    Begun receive(MemorySegment into, int from);

    /** From now on whoever waits for a message gets this instead. */
    void abort(RuntimeException why);

    /** Ends the connections, when all ranks do so. */
    @Override
    void close();
}
