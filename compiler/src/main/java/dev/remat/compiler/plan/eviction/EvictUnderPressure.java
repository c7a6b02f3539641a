package dev.remat.compiler.plan.eviction;

import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.DelayWrites;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.StorageReads;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Runs the given order within a limit: where a step does not fit, forward values are evicted whose recomputation costs
 * least for their bytes and the time until they are read again; where an evicted value is read, it is computed again
 * with whatever of its inputs is gone. Online eviction by cost, size and staleness is due to Kirisame et al. (2021,
 * DTR); here the future is known, and the time to the next read takes the place of staleness.
 *
 * <p>A value may be computed any number of times. Takes time in proportion to the steps times a logarithm.
 */
final class EvictUnderPressure {
    private static final int NEVER = Integer.MAX_VALUE;
    /** A sequence with so many times the steps of the given order helps nobody; nothing more is evicted then. */
    private static final int MOST_COMPUTATIONS = 10;
    /** Steps after which time is looked at. */
    private static final int CHECKED = 64;

    /** How strongly size and time to the next read make a value a candidate. */
    record Weights(double size, double stretch) {}

    private record Candidate(double price, int storage, int version) {}

    private final RematProblem problem;
    private final Weights weights;
    private final long limit;
    private final StorageReads reads;
    private final SearchListener listener;
    private final int firstBackward;
    /** Per storage: whether all that lies in it can be computed again for the backward. */
    private final boolean[] evictable;

    private final boolean[] live;
    private final boolean[] usable;
    private final int[] computations;
    private final int[] locks;
    private final int[] version;
    /** Per storage: cost of what has been evicted of that which its recomputation reads. */
    private final double[] missingCost;

    private final double[] evictedCost;
    private final PriorityQueue<Candidate> candidates = new PriorityQueue<>(
            (a, b) -> a.price != b.price ? Double.compare(a.price, b.price) : Integer.compare(a.storage, b.storage));
    private final IntList steps = new IntList();
    private final int[] collectedAt;
    private long bytes;
    private int now;
    private long done;

    private EvictUnderPressure(
            RematProblem problem, StorageReads reads, long limit, Weights weights, SearchListener listener) {
        this.problem = problem;
        this.weights = weights;
        this.limit = limit;
        this.reads = reads;
        this.listener = listener;
        firstBackward = Retention.firstBackward(problem);
        int values = problem.valueCount();
        live = new boolean[values];
        usable = new boolean[values];
        computations = new int[problem.nodeCount()];
        locks = new int[values];
        version = new int[values];
        missingCost = new double[values];
        evictedCost = new double[values];
        collectedAt = new int[problem.nodeCount()];
        Arrays.fill(collectedAt, -1);
        bytes = problem.residentBytes();
        evictable = new boolean[values];
        Arrays.fill(evictable, true);
        Retention required = Retention.required(problem);
        for (int v = 0; v < values; v++) {
            int producer = problem.producer(v);
            usable[v] = problem.residentNode(producer);
            boolean stays = problem.role(producer) != Role.FORWARD || required.retained(v) || problem.once(producer);
            evictable[problem.storage(v)] &= !stays;
        }
    }

    /**
     * A valid sequence; where the limit is too low for the greedy choice its peak is above it.
     *
     * @throws dev.remat.compiler.plan.TimeIsUpException if the listener says so
     */
    static OperatorSequence run(
            String strategy,
            RematProblem problem,
            StorageReads reads,
            long limit,
            Weights weights,
            SearchListener listener) {
        EvictUnderPressure run = new EvictUnderPressure(problem, reads, limit, weights, listener);
        run.run();
        return new OperatorSequence(strategy, DelayWrites.of(problem, run.steps.toArray()), List.of());
    }

    private void run() {
        for (now = 0; now < problem.nodeCount(); now++) {
            if (problem.residentNode(now)) {
                continue;
            }
            for (int node : missing(now)) {
                execute(node);
            }
            execute(now);
            for (int k = 0; k < problem.inputCount(now); k++) {
                touch(problem.storage(problem.input(now, k)));
            }
        }
    }

    /** Producers of what the node cannot read, and of what these cannot, in order; their inputs and its are locked. */
    private int[] missing(int node) {
        IntList found = new IntList();
        collectMissing(node, found);
        for (int i = 0; i < found.size(); i++) {
            collectMissing(found.get(i), found);
        }
        int[] order = found.toArray();
        Arrays.sort(order);
        return order;
    }

    private void collectMissing(int node, IntList found) {
        for (int k = 0; k < problem.inputCount(node); k++) {
            int v = problem.input(node, k);
            int producer = problem.producer(v);
            locks[problem.storage(v)]++;
            if (!readable(v, node) && collectedAt[producer] != now) {
                collectedAt[producer] = now;
                found.add(producer);
            }
        }
    }

    private boolean readable(int value, int node) {
        int producer = problem.producer(value);
        boolean serves = computations[node] > 0 || problem.role(node) == Role.BACKWARD;
        return usable[value] && !(serves && problem.pin(producer) == Pin.RECOMPUTE && computations[producer] == 1);
    }

    private void execute(int node) {
        if (steps.size() % CHECKED == 0) {
            listener.worked(done);
            done = 0;
            listener.check();
        }
        long needed = problem.workspaceBytes(node);
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            needed += owns(v) && !live[v] ? problem.bytes(v) : 0;
            locks[problem.storage(v)]++;
        }
        makeRoom(needed);
        done += 1 + problem.inputCount(node);
        steps.add(node);
        computations[node]++;
        for (int k = 0; k < problem.inputCount(node); k++) {
            locks[problem.storage(problem.input(node, k))]--;
        }
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            locks[problem.storage(v)]--;
            usable[v] = true;
            if (owns(v) && !live[v]) {
                live[v] = true;
                bytes += problem.bytes(v);
                chargeReaders(v, -evictedCost[v]);
                evictedCost[v] = 0;
            }
            touch(problem.storage(v));
        }
    }

    private boolean owns(int value) {
        return problem.viewOf(value) == ProblemValue.NONE && !problem.resident(value);
    }

    private void makeRoom(long needed) {
        IntList locked = new IntList();
        boolean hopeless = steps.size() > MOST_COMPUTATIONS * (long) problem.nodeCount();
        while (bytes + needed > limit && !hopeless && !candidates.isEmpty()) {
            Candidate candidate = candidates.remove();
            int storage = candidate.storage();
            if (!live[storage] || candidate.version() != version[storage]) {
                continue;
            }
            if (locks[storage] > 0) {
                locked.add(storage);
            } else {
                evict(storage);
            }
        }
        for (int i = 0; i < locked.size(); i++) {
            offer(locked.get(i));
        }
    }

    private void evict(int storage) {
        release(storage);
        evictedCost[storage] = problem.cost(problem.producer(storage)) + missingCost[storage];
        chargeReaders(storage, evictedCost[storage]);
    }

    private void release(int storage) {
        live[storage] = false;
        bytes -= problem.bytes(storage);
        reads.values(storage).forEach(v -> usable[v] = false);
    }

    /**
     * Frees a storage that nothing reads any more, or offers it for eviction until its next read. What the forward
     * makes only once stays, for recomputations may read it.
     */
    private void touch(int storage) {
        if (problem.resident(storage) || !live[storage]) {
            return;
        }
        boolean mayBeRead = problem.role(problem.producer(storage)) == Role.FORWARD && !evictable[storage];
        if (mayBeRead || locks[storage] > 0 || reads.next(storage, now) != NEVER) {
            offer(storage);
        } else {
            release(storage);
        }
    }

    private void offer(int storage) {
        version[storage]++;
        done++;
        if (!evictable[storage]) {
            return;
        }
        int next = reads.next(storage, now);
        double stretch = next == NEVER ? problem.nodeCount() : Math.max(1, next - now);
        double cost = problem.cost(problem.producer(storage)) + missingCost[storage];
        double benefit =
                Math.pow(Math.max(1, problem.bytes(storage)), weights.size()) * Math.pow(stretch, weights.stretch());
        candidates.add(new Candidate(cost / benefit, storage, version[storage]));
    }

    /** Recomputing what the forward makes of the storage has become dearer or cheaper. */
    private void chargeReaders(int storage, double change) {
        if (change == 0) {
            return;
        }
        for (int k = 0; k < problem.readerCount(storage); k++) {
            int reader = problem.reader(storage, k);
            if (reader >= firstBackward) {
                break;
            }
            for (int v = problem.firstResult(reader); v < problem.endResult(reader); v++) {
                missingCost[problem.storage(v)] = Math.max(0, missingCost[problem.storage(v)] + change);
                if (!problem.resident(v) && live[problem.storage(v)]) {
                    offer(problem.storage(v));
                }
            }
        }
    }
}
