package dev.remat.compiler.plan.exact;

import dev.remat.compiler.plan.evaluate.Overwrites;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * A small problem as a game with pebbles (Sethi, 1975): which nodes have run, and which values are in memory, are the
 * bits of two words. A value may be taken from memory at any time; a node may run while what it reads is there. What
 * the evaluator calls the end of a lifetime is here the choice to give a value up before the next node runs.
 */
final class PebbleGame {
    /** No cost: what is needed can never be had again. */
    static final long NEVER = Long.MAX_VALUE;

    private static final int BITS = Long.SIZE;

    private final RematProblem problem;
    private final long free;
    /** Per node that is computed: its number in the problem. */
    private final int[] nodes;
    /** Per node: what it reads, what that lies in, and what it makes, as bits of values. */
    private final long[] reads;

    private final long[] holds;

    private final long[] makes;
    /** Per node: those that must have run, and must not have run, as bits of nodes. */
    private final long[] after;

    private final long[] before;
    private final boolean[] once;
    /** Per node: what it reads and, if it is given up there, makes room by that for a result, as bits of values. */
    private final long[] replaced;
    /** Per value, of which the largest come first: its bytes, and what goes with it: views of it, and itself. */
    private final long[] bytes;

    private final long[] shown;
    /** Values that own what views show. */
    private final long viewed;

    private final long outputs;

    private PebbleGame(RematProblem problem, long budget, int[] nodes, int[] values) {
        this.problem = problem;
        this.nodes = nodes;
        free = budget - problem.residentBytes();
        int[] nodeBit = new int[problem.nodeCount()];
        int[] valueBit = new int[problem.valueCount()];
        for (int i = 0; i < nodes.length; i++) {
            nodeBit[nodes[i]] = i;
        }
        bytes = new long[values.length];
        long stays = 0;
        for (int i = 0; i < values.length; i++) {
            valueBit[values[i]] = i;
            bytes[i] = problem.bytes(values[i]);
            stays |= problem.output(values[i]) ? bit(i) : 0;
        }
        outputs = stays;
        shown = new long[values.length];
        long owners = 0;
        for (int i = 0; i < values.length; i++) {
            int owner = valueBit[problem.storage(values[i])];
            shown[owner] |= bit(i);
            owners |= owner == i ? 0 : bit(owner);
        }
        viewed = owners;
        reads = new long[nodes.length];
        holds = new long[nodes.length];
        makes = new long[nodes.length];
        after = new long[nodes.length];
        before = new long[nodes.length];
        once = new boolean[nodes.length];
        replaced = new long[nodes.length];
        Overwrites overwrites = Overwrites.of(problem);
        for (int i = 0; i < nodes.length; i++) {
            int node = nodes[i];
            once[i] = problem.once(node) || problem.pin(node).isKept();
            for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
                int old = replaced(problem, v);
                makes[i] |= problem.resident(v) ? 0 : bit(valueBit[v]);
                replaced[i] |= old == ProblemValue.NONE ? 0 : bit(valueBit[old]);
            }
            for (int k = 0; k < problem.inputCount(node); k++) {
                int v = problem.input(node, k);
                int writer = overwrites.overwriter(v);
                int producer = problem.producer(v);
                before[i] |= writer == Overwrites.NONE || writer == node ? 0 : bit(nodeBit[writer]);
                after[i] |= problem.residentNode(producer) ? 0 : bit(nodeBit[producer]);
                if (!problem.resident(v)) {
                    reads[i] |= bit(valueBit[v]);
                    holds[i] |= bit(valueBit[v]) | bit(valueBit[problem.storage(v)]);
                }
            }
            for (int k = 0; k < problem.writes(node).size(); k++) {
                int previous = overwrites.previousWriter(node, k);
                after[i] |= previous == Overwrites.NONE ? 0 : bit(nodeBit[previous]);
            }
        }
    }

    /**
     * The game within so many bytes; none where there are more nodes or values than bits, tiers, pins to
     * recompute, or views that may show another computation of a value than is read beside them.
     */
    static Optional<PebbleGame> of(RematProblem problem, long budget) {
        List<Integer> nodes = new ArrayList<>();
        List<Integer> values = new ArrayList<>();
        boolean plain = problem.tiers().isEmpty();
        for (int n = 0; n < problem.nodeCount() && plain && Math.max(nodes.size(), values.size()) <= BITS; n++) {
            plain = problem.pin(n) != Pin.RECOMPUTE;
            if (!problem.residentNode(n)) {
                nodes.add(n);
            }
            for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                plain &= problem.resident(v) || isPlain(problem, v);
                if (!problem.resident(v)) {
                    values.add(v);
                }
            }
        }
        boolean small = plain && nodes.size() <= BITS && values.size() <= BITS;
        values.sort(Comparator.comparingLong(problem::bytes).reversed());
        return small ? Optional.of(new PebbleGame(problem, budget, ints(nodes), ints(values))) : Optional.empty();
    }

    private static boolean isPlain(RematProblem problem, int value) {
        int storage = problem.storage(value);
        int made = problem.producer(storage);
        boolean alone = problem.endResult(made) - problem.firstResult(made) == 1;
        for (int v = problem.firstResult(problem.producer(value));
                v < problem.endResult(problem.producer(value));
                v++) {
            alone &= replaced(problem, v) != storage;
        }
        return storage == value || alone;
    }

    /** The storage that a result takes over if it is given up as the node runs. */
    private static int replaced(RematProblem problem, int value) {
        int old = problem.inPlaceOf(value);
        int storage = old == ProblemValue.NONE ? ProblemValue.NONE : problem.storage(old);
        boolean may = storage != ProblemValue.NONE
                && !problem.resident(storage)
                && problem.bytes(storage) == problem.bytes(value);
        return may ? storage : ProblemValue.NONE;
    }

    private static int[] ints(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }

    private static long bit(int position) {
        return 1L << position;
    }

    int size() {
        return nodes.length;
    }

    /** The number in the problem of a node of the game. */
    int node(int position) {
        return nodes[position];
    }

    long cost(int position) {
        return problem.cost(nodes[position]);
    }

    boolean won(long done, long live) {
        return Long.bitCount(done) == nodes.length && (outputs & ~live) == 0;
    }

    /** Whether a node may run, memory aside, and that does not only make what is there. */
    boolean mayRun(int position, long done, long live) {
        boolean again = (done & bit(position)) != 0;
        return (reads[position] & ~live) == 0
                && mayRunAt(position, done)
                && (!again || !once[position] && (makes[position] & ~live) != 0);
    }

    private boolean mayRunAt(int position, long done) {
        return (after[position] & ~done) == 0 && (before[position] & done) == 0;
    }

    /**
     * What may be in memory after a node has run: for each way to give up no more than it takes for the node to fit,
     * less what nothing can need any more. There can be very many.
     *
     * @param next is asked for each whether to go on
     * @return whether all were told
     */
    boolean run(int position, long done, long live, LongPredicate next) {
        long doneAfter = done | bit(position);
        long kept = live & ~makes[position];
        long fixed = kept & holds[position] & ~replaced[position];
        long over = bytes(kept) + bytes(makes[position]) + problem.workspaceBytes(nodes[position]) - free;
        return giveUp(
                kept & ~fixed, over, 0, given -> next.test(needed(doneAfter, kept & ~shown(given) | makes[position])));
    }

    /**
     * Tells every set of some values that has so many bytes, but not without any one of it: the last to be added is
     * the smallest, and was missing.
     */
    private boolean giveUp(long values, long over, long given, LongPredicate found) {
        if (over <= 0) {
            return found.test(given);
        }
        if (bytes(values) < over) {
            return true;
        }
        long one = Long.lowestOneBit(values);
        long others = values & ~one;
        return giveUp(others, over - bytes[Long.numberOfTrailingZeros(one)], given | one, found)
                && giveUp(others, over, given, found);
    }

    /** With what goes with them. */
    private long shown(long values) {
        long all = values;
        for (long rest = values & viewed; rest != 0; rest &= rest - 1) {
            all |= shown[Long.numberOfTrailingZeros(rest)];
        }
        return all;
    }

    private long bytes(long values) {
        long sum = 0;
        for (long rest = values; rest != 0; rest &= rest - 1) {
            sum += bytes[Long.numberOfTrailingZeros(rest)];
        }
        return sum;
    }

    /** Of what is in memory, what a node may read that has not run or may run again, and outputs. */
    private long needed(long done, long live) {
        long needed = outputs;
        for (int i = nodes.length - 1; i >= 0; i--) {
            boolean ran = (done & bit(i)) != 0;
            if (!ran || !once[i] && mayRunAt(i, done) && (makes[i] & needed) != 0) {
                needed |= reads[i];
            }
        }
        long stays = live & needed;
        for (long rest = viewed & live & ~stays; rest != 0; rest &= rest - 1) {
            stays |= (shown[Long.numberOfTrailingZeros(rest)] & stays) == 0 ? 0 : Long.lowestOneBit(rest);
        }
        return stays;
    }

    /**
     * What must be paid at least from here on: for what has run, is needed, and is not in memory; or {@link
     * #NEVER}.
     */
    long toPay(long done, long live) {
        long cost = 0;
        long missing = outputs & ~live;
        for (int i = nodes.length - 1; i >= 0; i--) {
            boolean ran = (done & bit(i)) != 0;
            if (ran && (makes[i] & missing) != 0) {
                if (once[i] || !mayRunAt(i, done)) {
                    return NEVER;
                }
                cost += cost(i);
            }
            if (!ran && (before[i] & done) != 0) {
                return NEVER;
            }
            if (!ran || (makes[i] & missing) != 0) {
                missing |= reads[i] & ~live;
            }
        }
        return cost;
    }
}
