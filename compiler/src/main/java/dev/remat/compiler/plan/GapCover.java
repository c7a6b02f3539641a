package dev.remat.compiler.plan;

import dev.remat.ir.plan.Phase;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What every sequence pays whose forward and backward nodes run for the first time in the given order: between two reads
 * of a storage by such first runs, its <em>gap</em>, the storage either stays in memory, or its producer runs once more.
 * At each first run, what stays must fit beside the node's working set.
 *
 * <p>Updates may run at any time, so neither their reads nor their working sets count. A producer of several storages
 * makes them at once, so each gap pays only the share of its storage, by bytes. Holds under {@link SequenceEvaluator}
 * with any number of computations, since storage that is read later is never taken over.
 *
 * @param positions number of first runs that are looked at
 * @param room per position: bytes beside residents, working set, and what may not be computed again
 * @param gaps those in which a storage may be missing at some position, with anything to pay
 * @param cost of every node once and of the repeats that pins ask for
 */
record GapCover(int positions, long[] room, List<Gap> gaps, long cost) {
    /**
     * @param storage the value that owns it
     * @param from first position at which only this gap's decision says whether the storage is in memory
     * @param to position behind the last such
     * @param cost to be paid at least, unless the storage stays
     */
    record Gap(int storage, int from, int to, long bytes, long cost) {}

    /** Bits of the largest price after rounding, so that sums over 2²¹ positions stay within a long. */
    private static final int PRICE_BITS = 40;
    /** Nothing fits where a bound would be higher. */
    private static final BigInteger MOST = BigInteger.ONE.shiftLeft(62);

    static GapCover of(RematProblem problem, long budget) {
        return new Sweep(problem, budget).run();
    }

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
        long[] before = new long[positions + 1];
        BigInteger sum = BigInteger.ZERO;
        for (int p = 0; p < positions; p++) {
            long price = (long) Math.scalb(prices[p], shift);
            before[p + 1] = before[p] + price;
            sum = sum.subtract(BigInteger.valueOf(price).multiply(BigInteger.valueOf(room[p])));
        }
        BigInteger scale = BigInteger.valueOf(unit());
        for (Gap gap : gaps) {
            BigInteger rent = BigInteger.valueOf(before[gap.to()] - before[gap.from()])
                    .multiply(BigInteger.valueOf(gap.bytes()));
            BigInteger again = BigInteger.valueOf(gap.cost()).multiply(scale).shiftLeft(shift);
            sum = sum.add(rent.min(again));
        }
        BigInteger numerator = sum.shiftLeft(Math.max(0, -shift));
        BigInteger denominator = scale.shiftLeft(Math.max(0, shift));
        BigInteger roundedUp = numerator.add(denominator).subtract(BigInteger.ONE).divide(denominator);
        return cost + roundedUp.max(BigInteger.ZERO).min(MOST).longValueExact();
    }

    /** Bytes of the largest gap, at least one. */
    long unit() {
        return gaps.stream().mapToLong(Gap::bytes).max().orElse(1);
    }

    /** Walks the first runs in order and closes a gap at every read. */
    private static final class Sweep {
        private static final int NEVER = -1;

        private final RematProblem problem;
        private final long budget;
        private final List<Gap> gaps = new ArrayList<>();
        /** Per storage: position of its latest event. */
        private final int[] latest;
        /** Per node that is pinned to run again: position of the first read that needs the repeat. */
        private final int[] repeatedBy;
        /** Per position, as differences: bytes that are in memory whatever is decided. */
        private final long[] kept;

        Sweep(RematProblem problem, long budget) {
            this.problem = problem;
            this.budget = budget;
            latest = new int[problem.valueCount()];
            repeatedBy = new int[problem.nodeCount()];
            kept = new long[problem.nodeCount() + 1];
            Arrays.fill(latest, NEVER);
            Arrays.fill(repeatedBy, NEVER);
        }

        GapCover run() {
            long repeats = findPinnedRepeats();
            WorkingSets sets = new WorkingSets(problem);
            long[] room = new long[problem.nodeCount()];
            int position = 0;
            for (int n = 0; n < problem.nodeCount(); n++) {
                if (!placed(n)) {
                    continue;
                }
                for (int k = 0; k < problem.inputCount(n); k++) {
                    read(problem.storage(problem.input(n, k)), position);
                }
                for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                    if (problem.storage(v) == v) {
                        latest[v] = position;
                    }
                }
                room[position++] = budget - problem.residentBytes() - sets.of(n);
            }
            for (int output : problem.outputs()) {
                read(problem.storage(output), position);
            }
            long always = 0;
            for (int p = 0; p < position; p++) {
                always += kept[p];
                room[p] -= always;
            }
            return new GapCover(position, Arrays.copyOf(room, position), List.copyOf(gaps), problem.baselineCost() + repeats);
        }

        private boolean placed(int node) {
            return !problem.residentNode(node) && problem.phase(node) != Phase.UPDATE;
        }

        /** Cost of the repeats that pins ask for: one of each producer, before the first backward read of a result. */
        private long findPinnedRepeats() {
            long cost = 0;
            int position = 0;
            for (int n = 0; n < problem.nodeCount(); n++) {
                for (int k = 0; k < problem.inputCount(n) && problem.phase(n) == Phase.BACKWARD; k++) {
                    int producer = problem.producer(problem.input(n, k));
                    if (problem.pin(producer) == Pin.RECOMPUTE && repeatedBy[producer] == NEVER) {
                        repeatedBy[producer] = position;
                        cost += problem.cost(producer);
                    }
                }
                position += placed(n) ? 1 : 0;
            }
            return cost;
        }

        private void read(int storage, int position) {
            int from = latest[storage] + 1;
            latest[storage] = position;
            if (problem.resident(storage) || from == 0 || from >= position) {
                return;
            }
            int producer = problem.producer(storage);
            if (problem.once(producer) || problem.pin(producer) == Pin.RETAIN) {
                kept[from] += problem.bytes(storage);
                kept[position] -= problem.bytes(storage);
                return;
            }
            // A gap that may hold the repeat which a pin asks for has nothing to pay beside it.
            long cost = from <= repeatedBy[producer] ? 0 : share(storage);
            if (cost > 0 && problem.bytes(storage) > 0) {
                gaps.add(new Gap(storage, from, position, problem.bytes(storage), cost));
            }
        }

        /** What of the producer's cost the storage stands for: shares of a node add up to no more than its cost. */
        private long share(int storage) {
            int producer = problem.producer(storage);
            long all = 0;
            for (int v = problem.firstResult(producer); v < problem.endResult(producer); v++) {
                all += problem.bytes(v);
            }
            long bytes = problem.bytes(storage);
            return bytes == all ? problem.cost(producer) : BigInteger.valueOf(problem.cost(producer))
                    .multiply(BigInteger.valueOf(bytes)).divide(BigInteger.valueOf(all)).longValueExact();
        }
    }
}
