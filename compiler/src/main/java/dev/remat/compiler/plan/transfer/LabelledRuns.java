package dev.remat.compiler.plan.transfer;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.Overwrites;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.Arrays;

/**
 * What runs when, for given labels: the nodes in the given order, and in front of each the recomputations that it
 * needs, which serve until their gaps end or only this once. Says when each piece of storage is needed, as if every
 * transfer took no time: a fetch in front of the first run that reads what it brings.
 *
 * <p>Takes time proportional to the edges of all runs. Made once for a problem and used for many labellings.
 */
final class LabelledRuns {
    static final int NONE = -1;

    private final RematProblem problem;
    private final StorageGaps gaps;
    private final Overwrites overwrites;
    private int[] labels = new int[0];

    private final IntList runs = new IntList();
    /** Per instance of a storage: its value, the first run that needs it and the last, and what it may take over. */
    private final IntList value = new IntList();

    private final IntList from = new IntList();
    private int[] last = new int[64];
    private final IntList replaces = new IntList();
    /** Per instance: whether it was fetched. */
    private final IntList fetched = new IntList();

    /** Per storage: its instance on the device, the gap that it is in, and the instance to be stored. */
    private final int[] current;

    private final int[] gap;
    private final int[] firstInstance;
    /** Per storage: the tier that it is stored in, if it is. */
    private final int[] tier;
    /** Per storage: the last run that changed it. */
    private final int[] changed;
    /** Per view: the instance that it shows. */
    private final int[] shown;

    private final int[] computations;
    private final boolean[] collected;
    private final IntList group = new IntList();
    private final IntList borrowed = new IntList();
    private boolean possible;

    LabelledRuns(RematProblem problem, StorageGaps gaps) {
        this.problem = problem;
        this.gaps = gaps;
        overwrites = Overwrites.of(problem);
        int values = problem.valueCount();
        current = new int[values];
        gap = new int[values];
        firstInstance = new int[values];
        tier = new int[values];
        changed = new int[values];
        shown = new int[values];
        computations = new int[problem.nodeCount()];
        collected = new boolean[problem.nodeCount()];
    }

    /** Follows the labels; whether that is possible. */
    boolean follow(int[] newLabels) {
        labels = newLabels;
        runs.clear();
        value.clear();
        from.clear();
        replaces.clear();
        fetched.clear();
        Arrays.fill(current, NONE);
        Arrays.fill(firstInstance, NONE);
        Arrays.fill(changed, NONE);
        Arrays.fill(shown, NONE);
        Arrays.fill(computations, 0);
        Arrays.fill(collected, false);
        for (int v = 0; v < gap.length; v++) {
            gap[v] = gaps.first(v);
            tier[v] = problem.home(v);
        }
        possible = true;
        for (int n = 0; n < problem.nodeCount() && possible; n++) {
            if (!problem.residentNode(n)) {
                serve(n);
                run(n);
                passGaps(n);
                giveBack();
            }
        }
        for (int v = 0; v < current.length; v++) {
            int root = problem.storage(v);
            if (problem.output(v) && !problem.staysOnDevice(v) && current[root] != NONE) {
                last[current[root]] = runs.size();
            }
        }
        return possible;
    }

    IntList runs() {
        return runs;
    }

    int instanceCount() {
        return value.size();
    }

    int value(int instance) {
        return value.get(instance);
    }

    /** The first run that the instance is needed at: what makes it, or what reads it first if it is fetched. */
    int from(int instance) {
        return from.get(instance);
    }

    /** The last run that it is needed at; the number of runs where it is needed at the end. */
    int last(int instance) {
        return last[instance];
    }

    /** The instance whose storage this one may take over where that dies as this is made, or {@link #NONE}. */
    int replaces(int instance) {
        return replaces.get(instance);
    }

    boolean fetched(int instance) {
        return fetched.get(instance) != 0;
    }

    /** The tier that the value is stored in or lives in, or {@link ProblemNode#DEVICE}. */
    int tier(int ofValue) {
        return tier[ofValue];
    }

    /** The instance that is stored if the value is: its first, or the one that is changed for what lives below. */
    int stored(int ofValue) {
        boolean below = problem.home(ofValue) != ProblemNode.DEVICE;
        boolean moves = below ? changed[ofValue] != NONE : tier[ofValue] != ProblemNode.DEVICE;
        return moves ? below ? current[ofValue] : firstInstance[ofValue] : NONE;
    }

    /** The run after which the value can be stored. */
    int storable(int ofValue) {
        return changed[ofValue] != NONE ? changed[ofValue] : from.get(firstInstance[ofValue]);
    }

    private void serve(int node) {
        group.clear();
        borrowed.clear();
        collectMissing(node, node);
        for (int i = 0; i < group.size(); i++) {
            collectMissing(group.get(i), node);
        }
        if (group.size() == 0 || !possible) {
            return;
        }
        int[] order = group.toArray();
        Arrays.sort(order);
        for (int again : order) {
            collected[again] = false;
            run(again);
        }
    }

    private void collectMissing(int reader, int served) {
        boolean first = reader == served && problem.role(reader) != Role.BACKWARD;
        for (int k = 0; k < problem.inputCount(reader); k++) {
            int v = problem.input(reader, k);
            if (onDevice(v, first) || fetchable(v)) {
                continue;
            }
            int producer = problem.producer(v);
            if (collected[producer]) {
                continue;
            }
            possible &= !problem.once(producer)
                    && !problem.pin(producer).isKept()
                    && !overwrites.readsOverwrittenBefore(producer, served);
            collected[producer] = true;
            group.add(producer);
        }
    }

    private boolean onDevice(int v, boolean first) {
        int instance = current[problem.storage(v)];
        boolean there =
                problem.staysOnDevice(v) || instance != NONE && (problem.storage(v) == v || shown[v] == instance);
        return there && (first || !firstComputationOnly(v));
    }

    /** What the backward must not read, because a pin asks for its recomputation. */
    private boolean firstComputationOnly(int v) {
        return problem.pin(problem.producer(v)) == Pin.RECOMPUTE && computations[problem.producer(v)] == 1;
    }

    private boolean fetchable(int v) {
        return problem.storage(v) == v
                && !problem.staysOnDevice(v)
                && current[v] == NONE
                && StorageGaps.kind(labels[gap[v]]) >= StorageGaps.OFFLOAD
                && !firstComputationOnly(v);
    }

    private void run(int node) {
        int at = runs.size();
        for (int k = 0; k < problem.inputCount(node); k++) {
            use(problem.input(node, k), at);
        }
        for (int written : problem.writes(node)) {
            use(written, at);
            changed[written] = problem.staysOnDevice(written) ? NONE : at;
        }
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            int replaced = problem.inPlaceOf(v);
            if (problem.staysOnDevice(v)) {
                continue;
            }
            if (problem.storage(v) != v) {
                int viewed = problem.viewOf(v);
                shown[v] = problem.storage(viewed) == viewed ? current[viewed] : shown[viewed];
                continue;
            }
            boolean mayReplace = replaced != ProblemValue.NONE && !problem.staysOnDevice(replaced);
            int instance = add(v, at, mayReplace ? current[problem.storage(replaced)] : NONE, 0);
            firstInstance[v] = firstInstance[v] == NONE ? instance : firstInstance[v];
            if (computations[node] > 0) {
                borrowed.add(v);
            }
        }
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            if (problem.storage(v) == v && !problem.staysOnDevice(v)) {
                current[v] = lastOf(v);
            }
        }
        computations[node]++;
        runs.add(node);
    }

    /** The instance just added for the value: results of a node are few, and last. */
    private int lastOf(int v) {
        int instance = value.size() - 1;
        while (value.get(instance) != v) {
            instance--;
        }
        return instance;
    }

    private void use(int v, int at) {
        int root = problem.storage(v);
        if (problem.staysOnDevice(root)) {
            return;
        }
        if (v != root) {
            // Even where the root has been computed again since.
            last[shown[v]] = at;
            return;
        }
        if (current[root] == NONE) {
            current[root] = add(root, at, NONE, 1);
            int kind = StorageGaps.kind(labels[gap[root]]);
            tier[root] = tier[root] == ProblemNode.DEVICE ? kind - StorageGaps.OFFLOAD : tier[root];
            borrowed.add(root);
        }
        last[current[root]] = at;
    }

    private int add(int v, int at, int replaced, int byFetch) {
        int instance = value.size();
        value.add(v);
        from.add(at);
        replaces.add(replaced);
        fetched.add(byFetch);
        if (instance == last.length) {
            last = Arrays.copyOf(last, 2 * instance);
        }
        last[instance] = at;
        return instance;
    }

    /** What the node made or read in the given order enters its next gap. */
    private void passGaps(int node) {
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            if (problem.storage(v) == v && !problem.staysOnDevice(v)) {
                leave(v);
            }
        }
        for (int k = 0; k < problem.inputCount(node); k++) {
            int root = problem.storage(problem.input(node, k));
            if (!problem.staysOnDevice(root) && gaps.to(gap[root]) == node) {
                gap[root]++;
                leave(root);
            }
        }
    }

    private void leave(int root) {
        boolean kept = StorageGaps.kind(labels[gap[root]]) == StorageGaps.KEEP || changed[root] != NONE;
        current[root] = kept ? current[root] : NONE;
    }

    /** What was brought for this node alone is not there for others. */
    private void giveBack() {
        for (int i = 0; i < borrowed.size(); i++) {
            int root = borrowed.get(i);
            int label = labels[gap[root]];
            if (!StorageGaps.stays(label) && changed[root] == NONE) {
                current[root] = StorageGaps.kind(label) == StorageGaps.KEEP ? current[root] : NONE;
            }
        }
    }
}
