package dev.remat.runtime.ranks;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Ranks that are threads of one process and copy out of each other's memory. */
final class SharedMemory {
    /** What each rank has sent in the exchange that goes on. */
    private final MemorySegment[] sent;

    private int arrived;
    private long turn;
    private Optional<Throwable> stopped = Optional.empty();

    SharedMemory(int ranks) {
        this.sent = new MemorySegment[ranks];
    }

    /** By rank. */
    List<Transport> transports() {
        List<Transport> transports = new ArrayList<>();
        for (int rank = 0; rank < sent.length; rank++) {
            transports.add(new Rank(rank));
        }
        return transports;
    }

    /** Before ranks run again together. */
    synchronized void begin() {
        arrived = 0;
        stopped = Optional.empty();
    }

    /** Nobody waits any longer: a rank has stopped. */
    synchronized void stop(Throwable why) {
        stopped = stopped.or(() -> Optional.of(why));
        notifyAll();
    }

    /** Waits until all ranks have come here. */
    private synchronized void meet(int rank) {
        long own = turn;
        arrived++;
        if (arrived == sent.length) {
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

        Rank(int rank) {
            this.rank = rank;
        }

        @Override
        public void gather(MemorySegment own, MemorySegment all) {
            exchange(own, all, 0);
        }

        @Override
        public void scatter(MemorySegment own, MemorySegment all) {
            exchange(own, all, rank);
        }

        /** @param share of what others send, of as many bytes as come from each */
        private void exchange(MemorySegment own, MemorySegment all, int share) {
            sent[rank] = own;
            meet(rank);
            long bytes = all.byteSize() / sent.length;
            for (int from = 0; from < sent.length; from++) {
                long begin = Math.min(share * bytes, sent[from].byteSize());
                long length = Math.min(bytes, sent[from].byteSize() - begin);
                MemorySegment.copy(sent[from], begin, all, from * bytes, length);
                all.asSlice(from * bytes + length, bytes - length).fill((byte) 0);
            }
            meet(rank);
        }
    }
}
