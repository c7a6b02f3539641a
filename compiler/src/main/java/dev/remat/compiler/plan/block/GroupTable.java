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
            removeDominated(begin);
            if (Arrays.stream(cost[begin]).min().orElseThrow() < Long.MAX_VALUE) {
                for (int c = 0; c < chain.choices(); c++) {
                    extend(begin, c, limit, part);
                }
            }
        }
        return solution();
    }

    /** States that keep no less than a cheaper one lead nowhere. */
    private void removeDominated(int block) {
        long least = Long.MAX_VALUE;
        for (int m = 0; m <= PARTS; m++) {
            if (cost[block][m] >= least) {
                cost[block][m] = Long.MAX_VALUE;
            }
            least = Math.min(least, cost[block][m]);
        }
    }

    /** Tries all groups that begin with a block and take one choice. */
    private void extend(int begin, int c, long limit, double part) {
        long innerKept = 0;
        long innerTotal = 0;
        long innerCost = 0;
        long innerPeak = 0;
        int next = 0;
        for (int end = begin + 1; end <= size && innerTotal <= limit; end++) {
            Choice figures = chain.options(end - 1).choices().get(c);
            if (LENGTHS[next] == end - begin || end == size) {
                Figures last = figures.last();
                long peak = Math.max(innerPeak, innerTotal + last.total() + last.work() + correction[end - 1]);
                long keeps = innerKept + last.kept() + skips.bytes(begin, end);
                long costs = Math.max(0, innerCost - skips.cost(begin, end)) + last.cost();
                reach(begin, end, c, peak, keeps, costs, limit, part);
                next += LENGTHS[next] == end - begin ? 1 : 0;
            }
            Figures inner = figures.inner();
            innerPeak = Math.max(innerPeak, innerTotal + inner.total() + inner.work() + correction[end - 1]);
            innerKept += inner.kept();
            innerTotal += inner.total();
            innerCost += inner.cost();
        }
    }

    private void reach(int begin, int end, int c, long peak, long keeps, long costs, long limit, double part) {
        for (int m = 0; m <= PARTS; m++) {
            long soFar = cost[begin][m];
            if (soFar == Long.MAX_VALUE || kept[begin][m] + peak > limit) {
                continue;
            }
            long bytes = Math.min(limit, kept[begin][m] + keeps);
            int to = end == size ? 0 : (int) (bytes / part);
            long sum = soFar + costs;
            if (sum < cost[end][to] || sum == cost[end][to] && bytes < kept[end][to]) {
                cost[end][to] = sum;
                kept[end][to] = bytes;
                before[end][to] = m;
                length[end][to] = end - begin;
                choice[end][to] = c;
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
