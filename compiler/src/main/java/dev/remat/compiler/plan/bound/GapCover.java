package dev.remat.compiler.plan.bound;

import dev.remat.compiler.plan.evaluate.IntList;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;

/**
 * What every sequence pays in which the nodes of a line run for the first time one after the other: in a <em>gap</em>
 * between two reads of a storage, the storage either stays in memory, or its producer runs once more. At each first run
 * of the line, what stays must fit beside the working set.
 *
 * @param room per position of the line: bytes beside residents, working set, and what may not be computed again
 * @param cost of every node once and of the recomputations that pins ask for
 */
record GapCover(long[] room, List<Gap> gaps, long cost) {
    /**
     * @param storage the value that owns it
     * @param from first position at which it is for this gap alone to say whether the storage is in memory
     * @param to position after the last such
     * @param cost to be paid at least, unless the storage stays; {@link #NEVER} where it may be moved but must not be
     *     computed again
     */
    record Gap(int storage, int from, int to, long bytes, long cost) {}

    /** A cost that nothing can pay. */
    static final long NEVER = Long.MAX_VALUE;

    /** Bits of the largest price after rounding, so that sums over 2²¹ positions stay within a long. */
    private static final int PRICE_BITS = 40;
    /** Nothing fits where a bound would be higher. */
    private static final BigInteger MOST = BigInteger.ONE.shiftLeft(62);

    /**
     * A bound on the cost of every sequence, rounded up to a whole cost: each gap pays the smaller of its cost and the
     * price of its bytes at its positions, and the room is paid back. Holds for any prices; evaluated without error.
     *
     * @param prices per position, in cost for {@link #unit} bytes; none negative
     */
    long bound(double[] prices) {
        double highest = Arrays.stream(prices).max().orElse(0);
        if (highest <= 0) {
            return cost;
        }
        int shift = PRICE_BITS - Math.getExponent(highest);
        long[] before = new long[room.length + 1];
        BigInteger sum = BigInteger.ZERO;
        for (int p = 0; p < room.length; p++) {
            long price = (long) Math.scalb(prices[p], shift);
            before[p + 1] = before[p] + price;
            sum = sum.subtract(BigInteger.valueOf(price).multiply(BigInteger.valueOf(room[p])));
        }
        BigInteger scale = BigInteger.valueOf(unit());
        for (Gap gap : gaps) {
            BigInteger rent =
                    BigInteger.valueOf(before[gap.to()] - before[gap.from()]).multiply(BigInteger.valueOf(gap.bytes()));
            BigInteger again = BigInteger.valueOf(gap.cost()).multiply(scale).shiftLeft(shift);
            sum = sum.add(rent.min(again));
        }
        BigInteger numerator = sum.shiftLeft(Math.max(0, -shift));
        BigInteger denominator = scale.shiftLeft(Math.max(0, shift));
        BigInteger roundedUp =
                numerator.add(denominator).subtract(BigInteger.ONE).divide(denominator);
        return cost + roundedUp.max(BigInteger.ZERO).min(MOST).longValueExact();
    }

    /** Positions at which not all storage can stay, ascending. */
    int[] pressed() {
        long[] change = new long[room.length + 1];
        for (Gap gap : gaps) {
            change[gap.from()] += gap.bytes();
            change[gap.to()] -= gap.bytes();
        }
        IntList positions = new IntList();
        long all = 0;
        for (int p = 0; p < room.length; p++) {
            all += change[p];
            if (all > room[p]) {
                positions.add(p);
            }
        }
        return positions.toArray();
    }

    /** Whether every working set fits when nothing stays that may be computed again. */
    boolean possible() {
        return Arrays.stream(room).allMatch(free -> free >= 0);
    }

    /** Bytes of the largest gap, at least one. */
    long unit() {
        return gaps.stream().mapToLong(Gap::bytes).max().orElse(1);
    }
}
