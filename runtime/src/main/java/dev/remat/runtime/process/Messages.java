package dev.remat.runtime.process;

import dev.remat.runtime.ranks.Transport.Begun;
import java.lang.foreign.MemorySegment;

/** Moves bytes between processes. Messages from one to another on one channel come in the order of sending. */
public interface Messages extends AutoCloseable {
    /** Messages of one are not taken for those of another, which both ends may begin in another order. */
    enum Channel {
        /** What all processes do together, or all ranks of a stage. */
        GROUP,
        /** What a stage hands another, which may be on its way while all processes do something together. */
        STAGES
    }

    /** Number of this process. */
    int rank();

    /** How many processes there are. */
    int ranks();

    /** @param bytes in native memory, which stay as they are until the message has ended */
    Begun send(MemorySegment bytes, int to, Channel channel);

    /** @param into native memory of as many bytes as are sent */
    Begun receive(MemorySegment into, int from, Channel channel);

    /** From now on whoever waits for a message gets this instead. */
    void abort(RuntimeException why);

    /** Ends the connections, when all ranks do so. */
    @Override
    void close();
}
