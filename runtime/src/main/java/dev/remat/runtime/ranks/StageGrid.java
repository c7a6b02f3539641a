package dev.remat.runtime.ranks;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Several ranks, each with all stages of a step. A stage exchanges with the same stage of other ranks, and sends
 * messages to other stages of its own. All ranks do the same, so that whoever may go on among the stages of one may on
 * all: exchanges keep nobody waiting who would not wait without them.
 */
final class StageGrid implements Meeting {
    private final List<SharedMemory> byStage = new ArrayList<>();
    private final List<StageMemory> byRank = new ArrayList<>();

    StageGrid(int stages, int ranks) {
        for (int stage = 0; stage < stages; stage++) {
            byStage.add(new SharedMemory(ranks));
        }
        for (int rank = 0; rank < ranks; rank++) {
            byRank.add(new StageMemory(stages));
        }
    }

    /** Of a rank, by stage. */
    List<Transport> transports(int rank) {
        List<Transport> messages = byRank.get(rank).transports();
        List<Transport> transports = new ArrayList<>();
        for (int stage = 0; stage < byStage.size(); stage++) {
            transports.add(new Cell(byStage.get(stage).transports().get(rank), messages.get(stage)));
        }
        return transports;
    }

    @Override
    public void begin(int from) {
        byRank.forEach(rank -> rank.begin(from));
        if (from == 0) {
            byStage.forEach(stage -> stage.begin(from));
        }
    }

    @Override
    public void stop(Throwable why) {
        Stream.concat(byStage.stream(), byRank.stream()).forEach(meeting -> meeting.stop(why));
    }

    /** A stage of a rank. */
    private record Cell(Transport exchanges, Transport messages) implements Transport {
        @Override
        public boolean runsOn() {
            return true;
        }

        @Override
        public int rank() {
            return exchanges.rank();
        }

        @Override
        public Begun gather(MemorySegment own, MemorySegment all) {
            return exchanges.gather(own, all);
        }

        @Override
        public Begun scatter(MemorySegment own, MemorySegment all) {
            return exchanges.scatter(own, all);
        }

        @Override
        public void await(Begun begun, Supplier<String> what) {
            exchanges.await(begun, what);
        }

        @Override
        public Begun send(MemorySegment own, int stage) {
            return messages.send(own, stage);
        }

        @Override
        public Begun receive(MemorySegment into, int stage) {
            return messages.receive(into, stage);
        }
    }
}
