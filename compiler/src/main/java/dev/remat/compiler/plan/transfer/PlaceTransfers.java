package dev.remat.compiler.plan.transfer;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.TimelineEvaluator;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Gives transfers their positions, by one walk over the runs with a clock: stores as soon as there is something to
 * store; awaits when the store has ended, or before if memory is short; fetches in the order of need, as soon as their
 * lane is about to be free and their bytes fit from there to their reader.
 *
 * <p>Reckons as {@link TimelineEvaluator} and the evaluator of memory do, but for results that work in place of what is
 * being stored: that is not reckoned with. Made once for a problem and used for many labellings.
 */
final class PlaceTransfers {
    private static final int NONE = LabelledRuns.NONE;

    private final RematProblem problem;
    private final LabelledRuns runs;
    private final long budget;
    private final long[] storeFree;
    private final long[] fetchFree;
    /** Per value and tier: how long moving it takes. */
    private final long[][] storeNanos;

    private final long[][] fetchNanos;
    /** Per value and tier: what nodes lose to that. */
    private final long[][] lostNanos;

    private final long residentCost;

    /** Per run: bytes in use if transfers took no time, and what is fetched earlier than needed. */
    private long[] live = new long[0];

    private long[] early = new long[0];
    /** Per instance: when its fetch ends. */
    private long[] fetchEnd = new long[0];
    /** Per value: when its store ends. */
    private final long[] storeEnd;

    /** Per value: whether its store was begun, and whether it is the only reason for the memory that is stored from. */
    private final boolean[] begun;

    private final boolean[] holds;
    /** Per instance: the last run that needs the one before it of the same value, and whether another works in it. */
    private int[] before = new int[0];

    private boolean[] taken = new boolean[0];
    /** Per value: its latest instance. */
    private final int[] latest;

    private final int[] movable;
    /** Instances that are fetched, in the order of need. */
    private final IntList fetches = new IntList();
    /** Values that are stored, in the order of the runs behind which they can be. */
    private final List<Integer> stores = new ArrayList<>();
    /** Values whose stores nobody has awaited, in the order of their stores. */
    private final List<Integer> pending = new ArrayList<>();

    private long heldBytes;
    private long excess;
    private long beyondTiers;
    private long clock;
    private long makespan;
    private int nextFetch;
    /** A run beside which the next fetch does not fit. */
    private int blockedAt;

    private Optional<IntList> codes = Optional.empty();

    PlaceTransfers(RematProblem problem, LabelledRuns runs, long budget) {
        this.problem = problem;
        this.runs = runs;
        this.budget = budget;
        int tiers = problem.tiers().size();
        int values = problem.valueCount();
        storeFree = new long[tiers];
        fetchFree = new long[tiers];
        storeNanos = new long[tiers][values];
        fetchNanos = new long[tiers][values];
        lostNanos = new long[tiers][values];
        movable = IntStream.range(0, values).filter(problem::movable).toArray();
        for (int k = 0; k < tiers; k++) {
            for (int v : movable) {
                storeNanos[k][v] = problem.tiers().get(k).storeNanos(problem.bytes(v));
                fetchNanos[k][v] = problem.tiers().get(k).fetchNanos(problem.bytes(v));
                lostNanos[k][v] = problem.tiers().get(k).interferenceNanos(problem.bytes(v));
            }
        }
        storeEnd = new long[values];
        begun = new boolean[values];
        holds = new boolean[values];
        latest = new int[values];
        residentCost = IntStream.range(0, problem.nodeCount())
                .filter(problem::residentNode)
                .mapToLong(problem::cost)
                .sum();
    }

    /** Places what the labels move that were followed last. */
    void place() {
        findNeeds();
        findStores();
        walk();
    }

    /** Bytes beyond the budget or beyond tiers, whatever the transfers; zero if all fits. */
    long excess() {
        return excess;
    }

    /** Those of them beyond tiers, which no sequence may exceed. */
    long beyondTiers() {
        return beyondTiers;
    }

    /** When the last lane is done. */
    long makespan() {
        return makespan;
    }

    /** The same as {@link #place}, with all that it places. */
    OperatorSequence sequence(String strategy) {
        IntList steps = new IntList();
        codes = Optional.of(steps);
        place();
        codes = Optional.empty();
        return new OperatorSequence(strategy, steps.toArray(), List.of());
    }

    /** Bytes at each run as if what is moved left at once and came when needed; what is fetched. */
    private void findNeeds() {
        int count = runs.runs().size();
        int instances = runs.instanceCount();
        if (live.length < count + 2) {
            live = new long[2 * count + 2];
            early = new long[2 * count + 2];
        }
        if (fetchEnd.length < instances) {
            fetchEnd = new long[2 * instances];
            before = new int[2 * instances];
            taken = new boolean[2 * instances];
        }
        Arrays.fill(live, 0, count + 2, 0);
        Arrays.fill(early, 0, count + 2, 0);
        Arrays.fill(taken, 0, instances, false);
        Arrays.fill(latest, NONE);
        fetches.clear();
        for (int x = 0; x < instances; x++) {
            int v = runs.value(x);
            before[x] = latest[v] == NONE ? NONE : runs.last(latest[v]);
            latest[v] = x;
            live[takesOver(x) ? runs.from(x) + 1 : runs.from(x)] += problem.bytes(v);
            live[Math.min(runs.last(x), count - 1) + 1] -= problem.bytes(v);
            if (runs.fetched(x)) {
                fetches.add(x);
            }
        }
        long sum = problem.residentBytes();
        long most = sum;
        for (int i = 0; i < count; i++) {
            sum += live[i];
            live[i] = sum + problem.workspaceBytes(runs.runs().get(i));
            most = Math.max(most, live[i]);
        }
        excess = Math.max(0, most - budget);
    }

    private boolean takesOver(int instance) {
        int old = runs.replaces(instance);
        boolean takes = old != NONE
                && !taken[old]
                && runs.from(old) < runs.from(instance)
                && runs.last(old) == runs.from(instance)
                && problem.bytes(runs.value(old)) == problem.bytes(runs.value(instance))
                && runs.stored(runs.value(old)) != old;
        if (takes) {
            taken[old] = true;
        }
        return takes;
    }

    private void findStores() {
        stores.clear();
        long[] below = new long[storeFree.length];
        for (int v : movable) {
            begun[v] = false;
            holds[v] = false;
            if (runs.stored(v) != NONE) {
                stores.add(v);
                below[runs.tier(v)] += problem.home(v) == ProblemNode.DEVICE ? problem.bytes(v) : 0;
            }
        }
        stores.sort(Comparator.comparingInt(runs::storable));
        beyondTiers = 0;
        for (int k = 0; k < below.length; k++) {
            long needed = below[k] + problem.residentBytes(k);
            beyondTiers += Math.max(0, needed - problem.tiers().get(k).bytes());
        }
        excess += beyondTiers;
    }

    private void walk() {
        Arrays.fill(storeFree, 0);
        Arrays.fill(fetchFree, 0);
        pending.clear();
        heldBytes = 0;
        clock = residentCost;
        nextFetch = 0;
        blockedAt = NONE;
        int nextStore = 0;
        int nextNeed = 0;
        int count = runs.runs().size();
        for (int i = 0; i <= count; i++) {
            for (; nextStore < stores.size() && runs.storable(stores.get(nextStore)) < i; nextStore++) {
                store(stores.get(nextStore));
            }
            if (i == count) {
                break;
            }
            await(i);
            while (nextFetch < fetches.size() && mayFetch(i)) {
                fetch(fetches.get(nextFetch++), i);
            }
            for (; nextNeed < fetches.size() && runs.from(fetches.get(nextNeed)) == i; nextNeed++) {
                clock = Math.max(clock, fetchEnd[fetches.get(nextNeed)]);
            }
            clock += problem.cost(runs.runs().get(i));
            int node = runs.runs().get(i);
            codes.ifPresent(steps -> steps.add(node));
        }
        makespan = clock;
        for (int k = 0; k < storeFree.length; k++) {
            makespan = Math.max(makespan, Math.max(storeFree[k], fetchFree[k]));
        }
    }

    private void store(int v) {
        int tier = runs.tier(v);
        storeEnd[v] = Math.max(clock, storeFree[tier]) + storeNanos[tier][v];
        storeFree[tier] = storeEnd[v];
        clock += lostNanos[tier][v];
        begun[v] = true;
        pending.add(v);
        codes.ifPresent(steps -> steps.add(new SequenceStep.Store(v, tier).code()));
    }

    /** Takes note of stores that have ended, and waits for others while memory is short. */
    private void await(int run) {
        for (Iterator<Integer> each = pending.iterator(); each.hasNext(); ) {
            int v = each.next();
            if (storeEnd[v] <= clock) {
                each.remove();
                release(v);
            } else if (!holds[v] && runs.last(runs.stored(v)) < run) {
                holds[v] = true;
                heldBytes += problem.bytes(v);
            }
        }
        while (heldBytes > 0 && live[run] + early[run] + heldBytes > budget) {
            Integer first = pending.stream()
                    .filter(v -> holds[v])
                    .min(Comparator.comparingLong(v -> storeEnd[v]))
                    .orElseThrow();
            pending.remove(/* element */ first);
            clock = Math.max(clock, storeEnd[first]);
            release(first);
        }
    }

    private void release(int v) {
        heldBytes -= holds[v] ? problem.bytes(v) : 0;
        holds[v] = false;
        codes.ifPresent(steps -> steps.add(new SequenceStep.Await(v).code()));
    }

    /** Whether the next fetch is due in front of the run, or can be begun there without waiting for its lane. */
    private boolean mayFetch(int run) {
        int instance = fetches.get(nextFetch);
        if (runs.from(instance) == run) {
            return true;
        }
        int v = runs.value(instance);
        boolean copied = begun[v] || problem.home(v) != ProblemNode.DEVICE;
        boolean soon =
                fetchFree[runs.tier(v)] <= clock + problem.cost(runs.runs().get(run));
        return copied
                && soon
                && run > before[instance]
                && run > blockedAt
                && fits(run, runs.from(instance), problem.bytes(v));
    }

    private boolean fits(int from, int to, long bytes) {
        for (int i = to - 1; i >= from; i--) {
            long free = budget - bytes - live[i] - early[i];
            if (free < heldBytes) {
                // Whatever is held: it is no use to look again before that run.
                blockedAt = free < 0 ? i : blockedAt;
                return false;
            }
        }
        return true;
    }

    private void fetch(int instance, int run) {
        blockedAt = NONE;
        int v = runs.value(instance);
        int tier = runs.tier(v);
        long copied = begun[v] && problem.home(v) == ProblemNode.DEVICE ? storeEnd[v] : 0;
        fetchEnd[instance] = Math.max(Math.max(clock, fetchFree[tier]), copied) + fetchNanos[tier][v];
        fetchFree[tier] = fetchEnd[instance];
        clock += lostNanos[tier][v];
        for (int i = run; i < runs.from(instance); i++) {
            early[i] += problem.bytes(v);
        }
        codes.ifPresent(steps -> steps.add(new SequenceStep.Fetch(v).code()));
    }
}
