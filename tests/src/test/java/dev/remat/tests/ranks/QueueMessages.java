package dev.remat.tests.ranks;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.remat.runtime.process.Messages;
import dev.remat.runtime.ranks.Transport.Begun;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Messages between threads that behave as if each were a process: bytes go through queues. */
final class QueueMessages implements Messages {
    private final int rank;
    /** By sender and receiver. */
    private final List<List<BlockingQueue<byte[]>>> ways;

    private volatile Optional<RuntimeException> stopped = Optional.empty();

    private QueueMessages(int rank, List<List<BlockingQueue<byte[]>>> ways) {
        this.rank = rank;
        this.ways = ways;
    }

    static List<QueueMessages> of(int ranks) {
        List<List<BlockingQueue<byte[]>>> ways = new ArrayList<>();
        for (int from = 0; from < ranks; from++) {
            List<BlockingQueue<byte[]>> each = new ArrayList<>();
            for (int to = 0; to < ranks; to++) {
                each.add(new LinkedBlockingQueue<>());
            }
            ways.add(each);
        }
        List<QueueMessages> messages = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            messages.add(new QueueMessages(rank, ways));
        }
        return messages;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int ranks() {
        return ways.size();
    }

    /** Bytes leave when the message ends: who changes them before is found out. */
    @Override
    public Begun send(MemorySegment bytes, int to) {
        if (!bytes.isNative()) {
            throw new IllegalArgumentException("engines send native memory alone");
        }
        byte[] early = bytes.toArray(JAVA_BYTE);
        ways.get(rank).get(to).add(early);
        return () -> {
            if (MemorySegment.ofArray(early).mismatch(bytes) >= 0) {
                throw new IllegalStateException("bytes changed while they were sent");
            }
        };
    }

    @Override
    public Begun receive(MemorySegment into, int from) {
        if (!into.isNative()) {
            throw new IllegalArgumentException("engines receive into native memory alone");
        }
        return () -> {
            byte[] bytes = take(ways.get(from).get(rank));
            if (bytes.length != into.byteSize()) {
                throw new IllegalStateException(bytes.length + " bytes came, " + into.byteSize() + " were expected");
            }
            into.copyFrom(MemorySegment.ofArray(bytes));
        };
    }

    private byte[] take(BlockingQueue<byte[]> way) {
        try {
            byte[] bytes = null;
            while (bytes == null) {
                if (stopped.isPresent()) {
                    throw stopped.get();
                }
                bytes = way.poll(10, TimeUnit.MILLISECONDS);
            }
            return bytes;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void abort(RuntimeException why) {
        stopped = stopped.or(() -> Optional.of(why));
    }

    @Override
    public void close() {}
}
