package dev.remat.compiler.plan.block;

import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.block.BlockOptions.Choice;
import dev.remat.compiler.plan.block.BlockOptions.Figures;
import dev.remat.compiler.plan.evaluate.IntList;
import java.util.Arrays;

/**
 * Divides a chain of blocks into groups, each of which keeps what leaves it and one choice of what is inside, and
 * computes the rest again from there: the least cost by dynamic programming over (block, bytes kept), where at its
 * own backward a group needs what is kept so far, what comes back, and its work. Per number of bytes, counted in
 * parts of the limit, the cheapest state stays with its exact bytes.
 */
final class GroupTable {
    private static final int PARTS = 1024;
    private static final int NONE = -1;
    private static final int[] LENGTHS = lengths();

    private final BlockChain chain;
    private final SearchListener listener;
    private final LongSkips skips;
    private final int size;
    private final long[] correction;
    private long[][] cost;
    private long[][] kept;
    /** Per state: bucket of the state before, length of the group in between, and its choice. */
    private int[][] before;

    private int[][] length;
    private int[][] choice;
    /** Buckets of the states that groups go on from, what is kept in them in ascending order, and their costs. */
    private final int[] states = new int[PARTS + 1];

    private final long[] stateKept = new long[PARTS + 1];
    private final long[] stateCost = new long[PARTS + 1];
    private int stateCount;

    /**
     * One group of a solution.
     *
     * @param end block after the last
     * @param before bytes kept by earlier groups
     */
    record Group(int begin, int end, int choice, long before) {}

    GroupTable(BlockChain chain, SearchListener listener) {
        this.chain = chain;
        this.listener = listener;
        size = chain.size();
        skips = LongSkips.of(chain);
        correction = new long[size];
    }

    /** Bytes by which the backward of a block takes more than the model says. */
    void correct(int block, long bytes) {
        correction[block] = bytes;
    }

    /**
     * The groups in order, or none if there is no way within the limit, residents aside.
     *
     * @throws dev.remat.compiler.plan.TimeIsUpException if the listener says so
     */
    Group[] solve(long limit) {
        double part = Math.max(1.0, (double) limit / PARTS);
        cost = new long[size + 1][PARTS + 1];
        kept = new long[size + 1][PARTS + 1];
        before = new int[size + 1][PARTS + 1];
        length = new int[size + 1][PARTS + 1];
        choice = new int[size + 1][PARTS + 1];
        for (long[] row : cost) {
            Arrays.fill(row, Long.MAX_VALUE);
        }
        cost[0][0] = 0;
        for (int begin = 0; begin < size; begin++) {
            listener.check();
            collectStates(begin);
            if (stateCount > 0) {
                extend(begin, limit, part);
            }
        }
        return solution();
    }

    /** Those of a block but for what keeps no less than a cheaper one, which leads nowhere. */
    private void collectStates(int block) {
        stateCount = 0;
        long least = Long.MAX_VALUE;
        for (int m = 0; m <= PARTS; m++) {
            if (cost[block][m] < least) {
                least = cost[block][m];
                states[stateCount] = m;
                stateKept[stateCount] = kept[block][m];
                stateCost[stateCount++] = least;
            }
        }
    }

    /** Tries all groups that begin with a block, but for choices that are nowhere better than another. */
    private void extend(int begin, long limit, double part) {
        Running[] running = new Running[chain.choices()];
        Arrays.setAll(running, _ -> new Running());
        Reached[] reached = new Reached[running.length];
        int next = 0;
        boolean any = true;
        for (int end = begin + 1; end <= size && any; end++) {
            boolean tried = LENGTHS[next] == end - begin || end == size;
            int count = 0;
            any = false;
            for (int c = 0; c < running.length; c++) {
                Running inside = running[c];
                if (inside.total <= limit) {
                    any = true;
                    Choice figures = chain.options(end - 1).choices().get(c);
                    if (tried) {
                        reached[count] = inside.end(c, begin, end, figures.last());
                        count += isBeaten(reached, count) ? 0 : 1;
                    }
                    inside.add(figures.inner(), correction[end - 1]);
                }
            }
            for (int i = 0; i < count; i++) {
                reach(begin, end, reached[i], limit, part);
            }
            next += LENGTHS[next] == end - begin ? 1 : 0;
        }
    }

    /** Whether one of those before it takes no more in any respect. */
    private static boolean isBeaten(Reached[] reached, int last) {
        for (int i = 0; i < last; i++) {
            if (reached[i].isNoMoreThan(reached[last])) {
                return true;
            }
        }
        return false;
    }

    /** A group with one choice, up to its last block. */
    private final class Running {
        private long kept;
        private long total;
        private long cost;
        private long peak;

        void add(Figures inner, long corrected) {
            peak = Math.max(peak, total + inner.total() + inner.work() + corrected);
            kept += inner.kept();
            total += inner.total();
            cost += inner.cost();
        }

        Reached end(int c, int begin, int end, Figures last) {
            return new Reached(
                    c,
                    Math.max(peak, total + last.total() + last.work() + correction[end - 1]),
                    kept + last.kept() + skips.bytes(begin, end),
                    Math.max(0, cost - skips.cost(begin, end)) + last.cost());
        }
    }

    /** What a group adds to a state. */
    private record Reached(int choice, long peak, long keeps, long costs) {
        boolean isNoMoreThan(Reached other) {
            return peak <= other.peak && keeps <= other.keeps && costs <= other.costs;
        }
    }

    private void reach(int begin, int end, Reached group, long limit, double part) {
        long[] costTo = cost[end];
        long[] keptTo = kept[end];
        for (int i = 0; i < stateCount && stateKept[i] + group.peak <= limit; i++) {
            long bytes = Math.min(limit, stateKept[i] + group.keeps);
            int to = end == size ? 0 : (int) (bytes / part);
            long sum = stateCost[i] + group.costs;
            if (sum < costTo[to] || sum == costTo[to] && bytes < keptTo[to]) {
                costTo[to] = sum;
                keptTo[to] = bytes;
                before[end][to] = states[i];
                length[end][to] = end - begin;
                choice[end][to] = group.choice;
            }
        }
    }

    private Group[] solution() {
        if (cost[size][0] == Long.MAX_VALUE) {
            return new Group[0];
        }
        int count = 0;
        for (int at = size, m = 0; at > 0; count++) {
            int from = before[at][m];
            at -= length[at][m];
            m = from;
        }
        Group[] groups = new Group[count];
        for (int at = size, m = 0; at > 0; count--) {
            int begin = at - length[at][m];
            groups[count - 1] = new Group(begin, at, choice[at][m], kept[begin][before[at][m]]);
            m = before[at][m];
            at = begin;
        }
        return groups;
    }

    /** What the model says each block's backward takes, corrections aside. */
    long[] model(Group[] groups) {
        long[] bytes = new long[size];
        for (Group group : groups) {
            long held = group.before();
            for (int b = group.begin(); b < group.end(); b++) {
                Choice figures = chain.options(b).choices().get(group.choice());
                Figures own = b == group.end() - 1 ? figures.last() : figures.inner();
                held += own.total();
                bytes[b] = held + own.work();
            }
        }
        return bytes;
    }

    /** Group lengths that are tried: each up to 8, then in steps of an eighth. */
    private static int[] lengths() {
        IntList lengths = new IntList();
        for (int length = 1; length < 1 << 24; length += Math.max(1, length / 8)) {
            lengths.add(length);
        }
        lengths.add(NONE);
        return lengths.toArray();
    }
}
