package dev.remat.compiler.plan.bound;

import dev.remat.compiler.plan.bound.GapCover.Gap;
import dev.remat.compiler.plan.evaluate.StorageReads;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.math.BigInteger;
import java.util.List;

/**
 * What is certain of the lanes of every sequence: how long moving takes at least, and what runs on either side of a
 * position of the line. Several tiers count as one with all their rates.
 */
final class LaneTimes {
    /** More nanoseconds than any step takes. */
    static final long MOST = 1L << 61;

    private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000);

    private final KnownOrder order;
    private final StorageReads reads;
    private final BigInteger storeRate;
    private final BigInteger fetchRate;
    private final long latency;
    /** Per position: cost of what runs for the first time there or certainly later. */
    private final long[] behind;
    /** Per position: cost of what runs for the first time there or certainly before, residents included. */
    private final long[] front;

    LaneTimes(RematProblem problem, KnownOrder order) {
        this.order = order;
        reads = StorageReads.of(problem);
        storeRate = sum(problem.tiers().stream().map(Tier::storeBytesPerSecond).toList());
        fetchRate = sum(problem.tiers().stream().map(Tier::fetchBytesPerSecond).toList());
        latency = problem.tiers().size() == 1 ? problem.tiers().getFirst().latencyNanos() : 0;
        int positions = order.line().length;
        behind = new long[positions + 1];
        front = new long[positions + 1];
        long before = 0;
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (problem.residentNode(n)) {
                before += problem.cost(n);
            } else {
                front[order.next()[n]] += problem.cost(n);
                behind[Math.max(0, order.last()[n])] += order.last()[n] < 0 ? 0 : problem.cost(n);
            }
        }
        for (int p = 0; p < positions; p++) {
            before += front[p];
            front[p] = before;
        }
        for (int p = positions - 1; p >= 0; p--) {
            behind[p] += behind[p + 1];
        }
    }

    long behind(int position) {
        return behind[position];
    }

    long front(int position) {
        return front[position];
    }

    /** Whether a recomputation in the gap has run when the node behind it has, since one of the line reads it. */
    boolean endsAtReader(Gap gap) {
        if (gap.to() >= order.line().length) {
            return false;
        }
        int reader = order.line()[gap.to()];
        return reads.next(gap.storage(), reader - 1) == reader;
    }

    /** Whole nanoseconds that it takes at least to store a value. */
    long store(long bytes) {
        return storing(bytes) + latency;
    }

    /** Whole nanoseconds that it takes at least to fetch a value. */
    long fetch(long bytes) {
        return fetching(bytes) + latency;
    }

    /** Whole nanoseconds that storing so many bytes takes at least, in however many transfers. */
    long storing(long bytes) {
        return moving(bytes, storeRate);
    }

    /** Whole nanoseconds that fetching so many bytes takes at least, in however many transfers. */
    long fetching(long bytes) {
        return moving(bytes, fetchRate);
    }

    private static long moving(long bytes, BigInteger rate) {
        return BigInteger.valueOf(bytes)
                .multiply(SECOND)
                .divide(rate)
                .min(BigInteger.valueOf(MOST))
                .longValueExact();
    }

    private static BigInteger sum(List<Long> rates) {
        return rates.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);
    }
}
