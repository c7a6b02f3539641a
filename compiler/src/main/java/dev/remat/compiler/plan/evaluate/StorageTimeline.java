package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.Arrays;

/**
 * Every piece of storage that a valid sequence uses, and the steps at which it is occupied.
 *
 * <p>Each step makes one instance of each result of its node, and a fetch one of what it fetches. An instance occupies
 * its storage from the step that makes it to its last read before the value is computed again; outputs stay to the end.
 * Views share the storage of what they view. A result that may work in place reuses the storage of its input if nothing
 * reads that storage later and both are of one size.
 *
 * <p>A transfer occupies from its step on whatever it takes, so that memory is a matter of positions alone, whenever it
 * ends: what is stored stays at least until the store is awaited, or to the end, and what is fetched is there from the
 * fetch on.
 */
public final class StorageTimeline {
    private static final int NOT_COMPUTED = -1;
    private static final int RESIDENT = -2;

    private final RematProblem problem;
    private final OperatorSequence sequence;
    private final int[] firstInstance;
    private final int[] storage;
    private final int[] lower;
    private final int[] last;

    private StorageTimeline(RematProblem problem, OperatorSequence sequence) {
        this.problem = problem;
        this.sequence = sequence;
        int steps = sequence.length();
        firstInstance = new int[steps + 1];
        for (int t = 0; t < steps; t++) {
            firstInstance[t + 1] = firstInstance[t] + made(t);
        }
        storage = new int[firstInstance[steps]];
        lower = new int[storage.length];
        last = new int[storage.length];
        reuseInPlace(sweep());
    }

    /** Requires a sequence without violations. */
    public static StorageTimeline of(RematProblem problem, OperatorSequence sequence) {
        return new StorageTimeline(problem, sequence);
    }

    /** Number of instances; those made at step {@code t} follow those made before it. */
    public int instanceCount() {
        return storage.length;
    }

    /** The instance of the {@code result}-th result that step {@code step} makes. */
    public int instance(int step, int result) {
        return firstInstance[step] + result;
    }

    /** Whether the instance is a view of something resident and so owns nothing. */
    public boolean resident(int instance) {
        return storage[instance] == RESIDENT;
    }

    /** The instance that allocated the storage of this one; itself where it allocates. Not for resident instances. */
    public int storage(int instance) {
        return storage[instance];
    }

    /** Step at which the storage that instance {@code root} allocated comes into use. */
    public int lower(int root) {
        return lower[root];
    }

    /** Last step, inclusive, at which the storage that instance {@code root} allocated is in use. */
    public int last(int root) {
        return Math.min(last[root], sequence.length() - 1);
    }

    /** Bytes occupied at each step: residents, live storage and the step's workspace. */
    public long[] liveBytes() {
        int steps = sequence.length();
        long[] live = new long[steps];
        long[] change = new long[steps + 1];
        for (int t = 0; t < steps; t++) {
            int first = firstMade(t);
            for (int i = firstInstance[t]; i < firstInstance[t + 1]; i++) {
                if (storage[i] == i) {
                    change[t] += problem.bytes(first + i - firstInstance[t]);
                    change[last(i) + 1] -= problem.bytes(first + i - firstInstance[t]);
                }
            }
        }
        long sum = problem.residentBytes();
        for (int t = 0; t < steps; t++) {
            sum += change[t];
            live[t] = sum + (sequence.runs(t) ? problem.workspaceBytes(sequence.node(t)) : 0);
        }
        return live;
    }

    /** Number of values that the step makes. */
    int made(int step) {
        int node = sequence.node(step);
        return sequence.runs(step)
                ? problem.endResult(node) - problem.firstResult(node)
                : sequence.step(step) instanceof SequenceStep.Fetch ? 1 : 0;
    }

    /** The first value that the step makes, if it makes any. */
    int firstMade(int step) {
        return sequence.runs(step)
                ? problem.firstResult(sequence.node(step))
                : sequence.step(step) instanceof SequenceStep.Fetch fetch ? fetch.value() : 0;
    }

    /**
     * Fills storages and lifetimes as if nothing worked in place; returns for each instance whose storage it may reuse.
     */
    private int[] sweep() {
        int steps = sequence.length();
        int[] current = new int[problem.valueCount()];
        for (int v = 0; v < current.length; v++) {
            current[v] = problem.staysOnDevice(v) ? RESIDENT : NOT_COMPUTED;
        }
        int[] mayReuse = new int[storage.length];
        int[] stored = new int[problem.tiers().isEmpty() ? 0 : current.length];
        Arrays.fill(stored, NOT_COMPUTED);
        for (int t = 0; t < steps; t++) {
            if (!sequence.runs(t)) {
                move(t, current, stored, mayReuse);
                continue;
            }
            int node = sequence.node(t);
            for (int k = 0; k < problem.inputCount(node); k++) {
                int read = current[problem.input(node, k)];
                if (read >= 0) {
                    last[storage[read]] = t;
                }
            }
            int first = problem.firstResult(node);
            for (int i = firstInstance[t]; i < firstInstance[t + 1]; i++) {
                mayReuse[i] = allocate(i, first + i - firstInstance[t], t, current);
            }
            for (int i = firstInstance[t]; i < firstInstance[t + 1]; i++) {
                int value = first + i - firstInstance[t];
                current[value] = problem.staysOnDevice(value) ? RESIDENT : i;
            }
            writeBelow(t, current);
        }
        for (int copied : stored) {
            if (copied >= 0) {
                last[copied] = steps;
            }
        }
        for (int output : problem.outputs()) {
            if (current[output] >= 0) {
                last[storage[current[output]]] = steps;
            }
        }
        return mayReuse;
    }

    /** @param stored per value: the storage that is being copied and was not awaited, or {@link #NOT_COMPUTED} */
    private void move(int step, int[] current, int[] stored, int[] mayReuse) {
        switch (sequence.step(step)) {
            case SequenceStep.Run run -> throw new IllegalStateException("step " + step + " runs node " + run.node());
            case SequenceStep.Store store -> {
                stored[store.value()] = storage[current[store.value()]];
                last[stored[store.value()]] = step;
            }
            case SequenceStep.Await await -> {
                last[stored[await.value()]] = step;
                stored[await.value()] = NOT_COMPUTED;
            }
            case SequenceStep.Fetch fetch -> {
                int instance = firstInstance[step];
                storage[instance] = instance;
                lower[instance] = step;
                last[instance] = step;
                mayReuse[instance] = NOT_COMPUTED;
                current[fetch.value()] = instance;
            }
        }
    }

    /** What lives below and is changed must be on the device, whether or not it is read. */
    private void writeBelow(int step, int[] current) {
        for (int written : problem.writes(sequence.node(step))) {
            if (current[written] >= 0) {
                last[storage[current[written]]] = step;
            }
        }
    }

    private int allocate(int instance, int value, int step, int[] current) {
        int viewed = problem.viewOf(value);
        if (viewed != ProblemValue.NONE) {
            storage[instance] = current[viewed] == RESIDENT ? RESIDENT : storage[current[viewed]];
            return NOT_COMPUTED;
        }
        storage[instance] = instance;
        lower[instance] = step;
        last[instance] = step;
        int replaced = problem.inPlaceOf(value);
        return replaced == ProblemValue.NONE || current[replaced] < 0 ? NOT_COMPUTED : storage[current[replaced]];
    }

    /** Lets results work in place where that is possible and leads every instance to the one that allocates. */
    private void reuseInPlace(int[] mayReuse) {
        boolean[] taken = new boolean[storage.length];
        long[] size = new long[storage.length];
        for (int t = 0; t < sequence.length(); t++) {
            int first = firstMade(t);
            for (int i = firstInstance[t]; i < firstInstance[t + 1]; i++) {
                if (storage[i] == RESIDENT) {
                    continue;
                }
                size[i] = problem.bytes(first + i - firstInstance[t]);
                int old = storage[i] == i ? mayReuse[i] : storage[i];
                boolean dies = old >= 0 && lower[old] < t && last[old] == t && size[old] == size[i] && !taken[old];
                if (storage[i] != i) {
                    storage[i] = storage[old];
                } else if (dies) {
                    taken[old] = true;
                    storage[i] = storage[old];
                    last[storage[old]] = Math.max(last[storage[old]], last[i]);
                }
            }
        }
    }
}
