package dev.remat.compiler.plan.transfer;

import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.OptionalInt;

/** Gives each value that is offloaded a tier: the first that allows it and still has room. */
public final class TierRoom {
    private final RematProblem problem;
    private final long[] room;
    private final int[] tier;

    TierRoom(RematProblem problem) {
        this.problem = problem;
        room = new long[problem.tiers().size()];
        for (int k = 0; k < room.length; k++) {
            room[k] = problem.tiers().get(k).bytes() - problem.residentBytes(k);
        }
        tier = new int[problem.valueCount()];
        Arrays.fill(tier, -1);
    }

    /** What is left where everything has its place that a pin says to offload. */
    static TierRoom besidePins(RematProblem problem, StorageGaps gaps) {
        TierRoom room = new TierRoom(problem);
        for (int gap = 0; gap < gaps.count(); gap++) {
            if (gaps.pinned(gap)) {
                room.tierFor(gaps, gap);
            }
        }
        return room;
    }

    /** The first value that a pin says to offload and that no tier has room for, beside those before it. */
    public static OptionalInt withoutRoom(RematProblem problem) {
        StorageGaps gaps = StorageGaps.of(problem);
        TierRoom room = new TierRoom(problem);
        for (int gap = 0; gap < gaps.count(); gap++) {
            if (gaps.pinned(gap) && room.tierFor(gaps, gap).isEmpty()) {
                return OptionalInt.of(gaps.storage(gap));
            }
        }
        return OptionalInt.empty();
    }

    /** Empty where no tier has room. */
    OptionalInt tierFor(StorageGaps gaps, int gap) {
        int v = gaps.storage(gap);
        long bytes = problem.resident(v) ? 0 : problem.bytes(v);
        for (int k = 0; k < room.length && tier[v] < 0; k++) {
            if (gaps.allows(gap, StorageGaps.OFFLOAD + k) && room[k] >= bytes) {
                tier[v] = k;
                room[k] -= bytes;
            }
        }
        return tier[v] < 0 ? OptionalInt.empty() : OptionalInt.of(tier[v]);
    }
}
