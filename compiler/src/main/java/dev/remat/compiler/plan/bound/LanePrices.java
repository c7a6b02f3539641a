package dev.remat.compiler.plan.bound;

import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.bound.GapCover.Gap;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The bound of {@link JointProgram} without an integer program, in time linear in the gaps: the Lagrangian dual. What
 * bounds the time from below, the compute lane, the lanes of all tiers, and both lines for some positions, gets weights
 * that add up to one. By them recomputing in a gap has a price, and so has moving; a gap pays the smallest of both and
 * of the price of its bytes, which is what {@link GapCover} bounds, for {@link GapPrices} to look for prices of a byte.
 *
 * <p>Holds for any weights, which are whole parts of a power of two, so that nothing is rounded but down. They are
 * looked for by pattern search (Hooke and Jeeves, 1961).
 */
final class LanePrices {
    /** Weights are so many parts of one. */
    private static final int PARTS_BITS = 12;

    private static final int PARTS = 1 << PARTS_BITS;
    private static final int FIRST_STEP = PARTS / 4;
    private static final int LAST_STEP = PARTS / 128;
    private static final int TRIAL_PASSES = 100;
    /** Bits of a time in parts, so that sums of several stay within a long. */
    private static final int TIME_BITS = 56;

    private final RematProblem problem;
    private final GapCover cover;
    private final LaneTimes lanes;
    /** Positions whose lines have weights: one for storing in front of them, one for fetching behind. */
    private final int[] positions;

    private final long[] needs;
    /** Per storage: in how many gaps it may be moved. */
    private final int[] movedGaps;
    /** Per gap: whether a recomputation in it has run when the node behind it has. */
    private final boolean[] ends;

    private final SearchListener listener;

    LanePrices(RematProblem problem, KnownOrder order, GapCover cover, SearchListener listener) {
        this.problem = problem;
        this.cover = cover;
        this.listener = listener;
        lanes = new LaneTimes(problem, order);
        needs = needs(cover);
        positions = positions();
        movedGaps = new int[problem.valueCount()];
        ends = new boolean[cover.gaps().size()];
        for (int g = 0; g < ends.length; g++) {
            Gap gap = cover.gaps().get(g);
            movedGaps[gap.storage()] += problem.movable(gap.storage()) ? 1 : 0;
            ends[g] = lanes.endsAtReader(gap);
        }
    }

    /** Bytes that are missing at each position whatever is decided; not positive where all fits. */
    private static long[] needs(GapCover cover) {
        long[] needs = new long[cover.room().length + 1];
        for (Gap gap : cover.gaps()) {
            needs[gap.from()] += gap.bytes();
            needs[gap.to()] -= gap.bytes();
        }
        long all = 0;
        for (int p = 0; p < cover.room().length; p++) {
            all += needs[p];
            needs[p] = all - cover.room()[p];
        }
        return Arrays.copyOf(needs, cover.room().length);
    }

    /** Where most is missing, and where the lines say most if nothing is recomputed. */
    private int[] positions() {
        int most = 0;
        int out = 0;
        int in = 0;
        for (int p : cover.pressed()) {
            most = needs[p] > needs[most] ? p : most;
            out = storedBy(p) > storedBy(out) ? p : out;
            in = fetchedFrom(p) > fetchedFrom(in) ? p : in;
        }
        return Arrays.stream(new int[] {most, out, in}).distinct().toArray();
    }

    private long storedBy(int position) {
        return lanes.behind(position) + lanes.storing(Math.max(0, needs[position]));
    }

    private long fetchedFrom(int position) {
        return lanes.front(position) + lanes.fetching(Math.max(0, needs[position]));
    }

    /**
     * No sequence that the gaps are of takes less time; at least the cost of every node once.
     *
     * @param mostWork gaps looked at in all passes together
     */
    long bound(long mostWork) {
        // Storing and fetching in all, then at each position.
        int[] weights = new int[2 + 2 * positions.length];
        long trials = 4L * weights.length * Integer.numberOfTrailingZeros(FIRST_STEP / LAST_STEP * 2);
        long passes = mostWork / Math.max(1, cover.gaps().size());
        int each = Math.clamp(passes / Math.max(1, trials), 1, TRIAL_PASSES);
        long best = bound(weights, each);
        for (int step = FIRST_STEP; step >= LAST_STEP && !listener.expired(); ) {
            long before = best;
            for (int i = 0; i < weights.length; i++) {
                for (int change = -step; change <= step; change += 2 * step) {
                    weights[i] += change;
                    long changed = isPossible(weights) ? bound(weights, each) : best;
                    if (changed > best) {
                        best = changed;
                        break;
                    }
                    weights[i] -= change;
                }
            }
            step = best > before ? step : step / 2;
        }
        return Math.max(best, bound(weights, (int) Math.clamp(passes, 1, 10L * TRIAL_PASSES)));
    }

    private static boolean isPossible(int[] weights) {
        return Arrays.stream(weights).allMatch(weight -> weight >= 0)
                && Arrays.stream(weights).sum() <= PARTS;
    }

    private long bound(int[] weights, int passes) {
        int compute = PARTS - Arrays.stream(weights).sum();
        long constant = compute * cover.cost();
        for (int i = 0; i < positions.length; i++) {
            constant += weights[2 + 2 * i] * storedBy(positions[i]);
            constant += weights[3 + 2 * i] * fetchedFrom(positions[i]);
        }
        List<Gap> paying = new ArrayList<>();
        for (int g = 0; g < ends.length; g++) {
            Gap gap = cover.gaps().get(g);
            long price = Math.min(again(g, compute, weights), moved(gap, weights));
            constant += Math.min(0, price);
            paying.add(new Gap(gap.storage(), gap.from(), gap.to(), gap.bytes(), Math.max(0, price)));
        }
        GapCover priced = new GapCover(cover.room(), paying, constant);
        long parts = priced.bound(GapPrices.find(priced, passes, listener));
        return Math.max(cover.cost(), Math.ceilDiv(parts, PARTS));
    }

    /** What recomputing in a gap adds to the weighted time, less what it takes from the lines that cross it. */
    private long again(int index, int compute, int[] weights) {
        Gap gap = cover.gaps().get(index);
        if (gap.cost() == GapCover.NEVER) {
            return Long.MAX_VALUE;
        }
        long price = compute * gap.cost();
        for (int i = 0; i < positions.length; i++) {
            int p = positions[i];
            boolean here = gap.from() <= p && p < gap.to();
            // Rounded up as the integer program does, since it is taken away.
            long stored = here ? lanes.storing(gap.bytes()) + 2 : 0;
            long fetched = here ? lanes.fetching(gap.bytes()) + 2 : 0;
            price += weights[2 + 2 * i] * (gap.from() > p ? gap.cost() : -stored);
            price += weights[3 + 2 * i] * (gap.to() <= p && ends[index] ? gap.cost() : -fetched);
        }
        return price;
    }

    /** What moving in a gap adds; the store, of which one serves all gaps of a storage, is shared by them. */
    private long moved(Gap gap, int[] weights) {
        return problem.movable(gap.storage())
                ? weights[0] * lanes.store(gap.bytes()) / movedGaps[gap.storage()]
                        + weights[1] * lanes.fetch(gap.bytes())
                : Long.MAX_VALUE;
    }

    /** Whether times are small enough for parts of them to be reckoned with. */
    boolean isExact() {
        long longest = cover.cost();
        for (int p : positions) {
            longest = Math.max(longest, Math.max(storedBy(p), fetchedFrom(p)));
        }
        for (Gap gap : cover.gaps()) {
            longest = Math.max(longest, lanes.store(gap.bytes()) + lanes.fetch(gap.bytes()));
        }
        return longest < 1L << TIME_BITS - PARTS_BITS;
    }
}
