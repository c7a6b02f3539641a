package dev.remat.runtime.process;

import dev.remat.runtime.process.Messages.Channel;
import dev.remat.runtime.ranks.Transport;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Exchanges as messages from each rank of a stage to each other, in an order that gives every rank one to send and one
 * to receive at a time; beside them messages to other stages of the same rank.
 */
final class MessageTransport implements Transport {
    private final Messages messages;
    private final Awaited awaited;
    private final ProcessGrid grid;

    /**
     * @param awaited is told what is waited for
     * @param grid of the processes
     */
    MessageTransport(Messages messages, Awaited awaited, ProcessGrid grid) {
        this.messages = messages;
        this.awaited = awaited;
        this.grid = grid;
    }

    /** Stages stand in the middle of a step. */
    @Override
    public boolean runsOn() {
        return grid.stages() > 1;
    }

    @Override
    public void await(Begun begun, Supplier<String> what) {
        awaited.run(begun::end, what);
    }

    @Override
    public int rank() {
        return grid.rank(messages.rank());
    }

    @Override
    public Begun gather(MemorySegment own, MemorySegment all) {
        return exchange(own, all, false);
    }

    @Override
    public Begun scatter(MemorySegment own, MemorySegment all) {
        return exchange(own, all, true);
    }

    /** @param shares whether each gets another part */
    private Begun exchange(MemorySegment own, MemorySegment all, boolean shares) {
        int ranks = grid.ranks();
        long bytes = all.byteSize() / ranks;
        int rank = rank();
        int first = messages.rank() - rank;
        List<Begun> begun = new ArrayList<>();
        for (int far = 1; far < ranks; far++) {
            int from = Math.floorMod(rank - far, ranks);
            int to = (rank + far) % ranks;
            MemorySegment taken = part(own.byteSize(), bytes, shares ? rank : 0, all.asSlice(from * bytes, bytes));
            if (taken.byteSize() > 0) {
                begun.add(messages.receive(taken, first + from, Channel.GROUP));
            }
            MemorySegment given = share(own, bytes, shares ? to : 0);
            if (given.byteSize() > 0) {
                begun.add(messages.send(given, first + to, Channel.GROUP));
            }
        }
        MemorySegment kept = share(own, bytes, shares ? rank : 0);
        MemorySegment place = all.asSlice(rank * bytes, bytes);
        place.asSlice(0, kept.byteSize()).copyFrom(kept);
        place.asSlice(kept.byteSize()).fill((byte) 0);
        return () -> begun.forEach(Begun::end);
    }

    /** What there is of a share. */
    private static MemorySegment share(MemorySegment own, long bytes, int number) {
        long begin = Math.min(number * bytes, own.byteSize());
        return own.asSlice(begin, Math.min(bytes, own.byteSize() - begin));
    }

    /** The part of a place that a share fills; the rest becomes zeros. */
    private static MemorySegment part(long sent, long bytes, int number, MemorySegment place) {
        long filled = Math.clamp(sent - number * bytes, 0, bytes);
        place.asSlice(filled).fill((byte) 0);
        return place.asSlice(0, filled);
    }

    @Override
    public Begun send(MemorySegment own, int stage) {
        return messages.send(own, grid.process(stage, rank()), Channel.STAGES);
    }

    @Override
    public Begun receive(MemorySegment into, int stage) {
        return messages.receive(into, grid.process(stage, rank()), Channel.STAGES);
    }
}
