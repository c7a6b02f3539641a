package dev.remat.tests.ranks;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.remat.runtime.process.Messages;
import dev.remat.runtime.ranks.Transport.Begun;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** Messages between threads that behave as if each were a process: bytes are copied on their way. */
final class QueueMessages implements Messages {
    /** From one to another on a channel: as engines do, who begins to receive first gets what was sent first. */
    private static final class Way {
        private final Map<Integer, CompletableFuture<byte[]>> messages = new ConcurrentHashMap<>();
        private final AtomicInteger sent = new AtomicInteger();
        private final AtomicInteger wanted = new AtomicInteger();

        private CompletableFuture<byte[]> next(AtomicInteger end) {
            return messages.computeIfAbsent(end.getAndIncrement(), _ -> new CompletableFuture<>());
        }
    }

    private final int rank;
    private final int ranks;
    /** By channel, sender and receiver. */
    private final List<Way> ways;

    private volatile Optional<RuntimeException> stopped = Optional.empty();

    private QueueMessages(int rank, int ranks, List<Way> ways) {
        this.rank = rank;
        this.ranks = ranks;
        this.ways = ways;
    }

    static List<QueueMessages> of(int ranks) {
        List<Way> ways = new ArrayList<>();
        for (int way = 0; way < Channel.values().length * ranks * ranks; way++) {
            ways.add(new Way());
        }
        List<QueueMessages> messages = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            messages.add(new QueueMessages(rank, ranks, ways));
        }
        return messages;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int ranks() {
        return ranks;
    }

    private Way way(Channel channel, int from, int to) {
        return ways.get((channel.ordinal() * ranks + from) * ranks + to);
    }

    /** Who changes bytes before the message ends is found out. */
    @Override
    public Begun send(MemorySegment bytes, int to, Channel channel) {
        if (!bytes.isNative()) {
            throw new IllegalArgumentException("engines send native memory alone");
        }
        byte[] early = bytes.toArray(JAVA_BYTE);
        Way way = way(channel, rank, to);
        way.next(way.sent).complete(early);
        return () -> {
            if (MemorySegment.ofArray(early).mismatch(bytes) >= 0) {
                throw new IllegalStateException("bytes changed while they were sent");
            }
        };
    }

    @Override
    public Begun receive(MemorySegment into, int from, Channel channel) {
        if (!into.isNative()) {
            throw new IllegalArgumentException("engines receive into native memory alone");
        }
        Way way = way(channel, from, rank);
        CompletableFuture<byte[]> message = way.next(way.wanted);
        return () -> {
            byte[] bytes = await(message);
            if (bytes.length != into.byteSize()) {
                throw new IllegalStateException(bytes.length + " bytes came, " + into.byteSize() + " were expected");
            }
            into.copyFrom(MemorySegment.ofArray(bytes));
        };
    }

    private byte[] await(CompletableFuture<byte[]> message) {
        while (true) {
            try {
                return message.get(10, TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException e) {
                if (stopped.isPresent()) {
                    throw stopped.get();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void abort(RuntimeException why) {
        stopped = stopped.or(() -> Optional.of(why));
    }

    @Override
    public void close() {}
}
