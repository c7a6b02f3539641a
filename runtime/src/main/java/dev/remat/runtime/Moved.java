package dev.remat.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * What an executable has moved out of its arena and back.
 *
 * @param exposedNanos in which no kernel ran because a transfer had not ended; empty where that is not measured
 * @param lanes of each place the one that stores, then the one that fetches
 */
public record Moved(OptionalLong exposedNanos, List<LaneUse> lanes) {
    /** Of an executable whose tensors stay in the arena. */
    public static final Moved NONE = new Moved(OptionalLong.empty(), List.of());

    /**
     * What one lane has done.
     *
     * @param bytes that it has begun to move, so that a store is counted in the step that it is of
     * @param busyNanos in which it did; 0 where that is not measured
     */
    public record LaneUse(String place, boolean stores, long bytes, long busyNanos) {}

    public Moved {
        lanes = List.copyOf(lanes);
    }

    public boolean isNone() {
        return lanes.isEmpty();
    }

    public long storedBytes() {
        return lanes.stream().filter(LaneUse::stores).mapToLong(LaneUse::bytes).sum();
    }

    public long fetchedBytes() {
        return lanes.stream()
                .filter(lane -> !lane.stores())
                .mapToLong(LaneUse::bytes)
                .sum();
    }

    /** What has come since an earlier report of the same executable. */
    public Moved since(Moved earlier) {
        List<LaneUse> since = new ArrayList<>();
        for (int i = 0; i < lanes.size(); i++) {
            LaneUse now = lanes.get(i);
            LaneUse then = earlier.lanes.get(i);
            since.add(new LaneUse(
                    now.place(), now.stores(), now.bytes() - then.bytes(), now.busyNanos() - then.busyNanos()));
        }
        OptionalLong exposed = exposedNanos.isEmpty()
                ? exposedNanos
                : OptionalLong.of(exposedNanos.getAsLong() - earlier.exposedNanos.orElse(0));
        return new Moved(exposed, since);
    }
}
