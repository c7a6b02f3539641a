package dev.remat.runtime.ranks;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Stages that are threads of one process and copy out of each other's memory. Of the two
 * ends of a message the one that
 * begins it last copies.
 */
final class StageMemory implements Meeting {
    /** One end of a message whose other end has not begun it. */
    private record End(MemorySegment bytes, CompletableFuture<Void> ended) {}

    /** From one stage to another. */
    private static final class Channel {
        private final Deque<End> sent = new ArrayDeque<>();
        private final Deque<End> wanted = new ArrayDeque<>();
    }

    private final int stages;
    private final Map<Integer, Channel> channels = new TreeMap<>();
    private Optional<Throwable> stopped = Optional.empty();

    StageMemory(int stages) {
        this.stages = stages;
    }

    /** By stage. */
    List<Transport> transports() {
        List<Transport> transports = new ArrayList<>();
        for (int stage = 0; stage < stages; stage++) {
            transports.add(new Stage(stage));
        }
        return transports;
    }

    /** What is on its way where they pause goes on. */
    @Override
    public synchronized void begin(int from) {
        if (from == 0) {
            channels.clear();
            stopped = Optional.empty();
        }
    }

    @Override
    public synchronized void stop(Throwable why) {
        stopped = stopped.or(() -> Optional.of(why));
        for (Channel channel : channels.values()) {
            channel.sent.forEach(end -> end.ended.completeExceptionally(why));
            channel.wanted.forEach(end -> end.ended.completeExceptionally(why));
        }
    }

    private CompletableFuture<Void> begin(int from, int to, MemorySegment bytes, boolean sends) {
        End own = new End(bytes, new CompletableFuture<>());
        Optional<End> other = other(from, to, own, sends);
        other.ifPresent(end -> {
            MemorySegment.copy(sends ? bytes : end.bytes, 0, sends ? end.bytes : bytes, 0, bytes.byteSize());
            end.ended.complete(null);
            own.ended.complete(null);
        });
        return own.ended;
    }

    /** The end that fits, which is waited for no more; if there is none, this one is. */
    private synchronized Optional<End> other(int from, int to, End own, boolean sends) {
        if (stopped.isPresent()) {
            own.ended.completeExceptionally(stopped.get());
            return Optional.empty();
        }
        Channel channel = channels.computeIfAbsent(from * stages + to, _ -> new Channel());
        Optional<End> other = Optional.ofNullable((sends ? channel.wanted : channel.sent).poll());
        if (other.isEmpty()) {
            (sends ? channel.sent : channel.wanted).add(own);
        }
        return other;
    }

    private final class Stage implements Transport {
        private final int stage;

        Stage(int stage) {
            this.stage = stage;
        }

        @Override
        public boolean runsOn() {
            return true;
        }

        /** A stage is alone among ranks. */
        @Override
        public int rank() {
            return 0;
        }

        @Override
        public Begun gather(MemorySegment own, MemorySegment all) {
            return NONE.gather(own, all);
        }

        @Override
        public Begun scatter(MemorySegment own, MemorySegment all) {
            return NONE.scatter(own, all);
        }

        @Override
        public Begun send(MemorySegment own, int to) {
            return awaited(StageMemory.this.begin(stage, to, own, true));
        }

        @Override
        public Begun receive(MemorySegment into, int from) {
            return awaited(StageMemory.this.begin(from, stage, into, false));
        }

        private Begun awaited(CompletableFuture<Void> message) {
            return new Begun() {
                @Override
                public void end() {
                    try {
                        message.join();
                    } catch (CompletionException e) {
                        throw new RankLostException("stage", stage, e.getCause());
                    }
                }

                @Override
                public void whenEnded(Runnable told) {
                    var _ = message.whenComplete((_, _) -> told.run());
                }
            };
        }
    }
}
