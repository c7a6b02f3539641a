package dev.remat.runtime.ranks;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Ranks that are threads of one process and copy out of each other's memory. */
final class SharedMemory implements Meeting {
    private final int ranks;
    /** What each rank has sent, by the number of the exchange. */
    private final Map<Integer, MemorySegment[]> sent = new LinkedHashMap<>();

    private final List<Rank> transports = new ArrayList<>();
    private int arrived;
    private long turn;
    private Optional<Throwable> stopped = Optional.empty();

    SharedMemory(int ranks) {
        this.ranks = ranks;
        for (int rank = 0; rank < ranks; rank++) {
            transports.add(new Rank(rank));
        }
    }

    /** By rank. */
    List<Transport> transports() {
        return List.copyOf(transports);
    }

    @Override
    public synchronized void begin(int from) {
        arrived = 0;
        sent.clear();
        stopped = Optional.empty();
        transports.forEach(Rank::begin);
    }

    private synchronized MemorySegment[] sent(int exchange) {
        return sent.computeIfAbsent(exchange, _ -> new MemorySegment[ranks]);
    }

    @Override
    public synchronized void stop(Throwable why) {
        stopped = stopped.or(() -> Optional.of(why));
        notifyAll();
    }

    /** Waits until all ranks have come here. */
    private synchronized void meet(int rank) {
        long own = turn;
        arrived++;
        if (arrived == ranks) {
            arrived = 0;
            turn++;
            notifyAll();
        }
        while (turn == own) {
            if (stopped.isPresent()) {
                throw new RankLostException(rank, stopped.get());
            }
            try {
                wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RankLostException(rank, e);
            }
        }
    }

    private final class Rank implements Transport {
        private final int rank;
        private int begun;

        Rank(int rank) {
            this.rank = rank;
        }

        private void begin() {
            begun = 0;
        }

        @Override
        public int rank() {
            return rank;
        }

        @Override
        public Begun gather(MemorySegment own, MemorySegment all) {
            return exchange(own, all, 0);
        }

        @Override
        public Begun scatter(MemorySegment own, MemorySegment all) {
            return exchange(own, all, rank);
        }

        /** @param share of what others send, of as many bytes as come from each */
        private Begun exchange(MemorySegment own, MemorySegment all, int share) {
            MemorySegment[] each = sent(begun++);
            each[rank] = own;
            return () -> {
                meet(rank);
                take(each, all, share);
                meet(rank);
            };
        }

        private void take(MemorySegment[] each, MemorySegment all, int share) {
            long bytes = all.byteSize() / ranks;
            for (int from = 0; from < ranks; from++) {
                long begin = Math.min(share * bytes, each[from].byteSize());
                long length = Math.min(bytes, each[from].byteSize() - begin);
                MemorySegment.copy(each[from], begin, all, from * bytes, length);
                all.asSlice(from * bytes + length, bytes - length).fill((byte) 0);
            }
        }
    }
}
