package dev.remat.compiler.plan.transfer;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.OffloadPins;
import dev.remat.compiler.plan.evaluate.StorageReads;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * The gaps in which storages may leave the device: from the making of each, or the beginning of the step for what lives
 * below, to its first reader in the given order, from each reader to the next, and from the last to the end. Gaps of a
 * storage follow one another.
 *
 * <p>In each gap a storage is kept, computed again when it is needed, or stored in a tier and fetched. It may be needed
 * within the gap too, by a recomputation; whether it then stays until the gap ends is told as well. All of that is one
 * number, a <em>label</em>.
 */
final class StorageGaps {
    static final int KEEP = 0;
    static final int RECOMPUTE = 1;
    /** Stored in the first tier; those that follow stand for the other tiers. */
    static final int OFFLOAD = 2;

    private final RematProblem problem;
    private final OffloadPins pins;
    /** Per storage: its first gap; one more at the end. */
    private final int[] first;
    /** Per gap: the storage. */
    private final int[] storage;
    /** Per gap: nodes in front of it and behind it; -1 for the beginning, the number of nodes for the end. */
    private final int[] from;

    private final int[] to;
    /** Per gap: what a storage may do in it, as a set of bits by kind of label. */
    private final int[] allowed;

    private StorageGaps(RematProblem problem) {
        this.problem = problem;
        pins = OffloadPins.of(problem);
        StorageReads reads = StorageReads.of(problem);
        int values = problem.valueCount();
        first = new int[values + 1];
        IntList storages = new IntList();
        IntList starts = new IntList();
        IntList ends = new IntList();
        for (int v = 0; v < values; v++) {
            first[v] = storages.size();
            if (problem.storage(v) != v || problem.staysOnDevice(v)) {
                continue;
            }
            int at = problem.resident(v) ? -1 : problem.producer(v);
            while (at < problem.nodeCount()) {
                int next = Math.min(problem.nodeCount(), reads.next(v, at));
                storages.add(v);
                starts.add(at);
                ends.add(next);
                at = next;
            }
        }
        first[values] = storages.size();
        storage = storages.toArray();
        from = starts.toArray();
        to = ends.toArray();
        allowed = IntStream.range(0, storage.length)
                .map(gap -> allowed(gap, reads))
                .toArray();
    }

    static StorageGaps of(RematProblem problem) {
        return new StorageGaps(problem);
    }

    int count() {
        return storage.length;
    }

    int storage(int gap) {
        return storage[gap];
    }

    /** The node in front of the gap, -1 for the beginning of the step. */
    int from(int gap) {
        return from[gap];
    }

    /** The node behind the gap, the number of nodes for the end of the step. */
    int to(int gap) {
        return to[gap];
    }

    /** The first gap of a storage; the next storage's if it has none. */
    int first(int value) {
        return first[value];
    }

    /** Whether the gap may have a label of this kind. */
    boolean allows(int gap, int kind) {
        return (allowed[gap] >> kind & 1) != 0;
    }

    /** Whether there is anything to decide. */
    boolean open(int gap) {
        return (allowed[gap] & allowed[gap] - 1) != 0;
    }

    /** Whether a pin says that the storage leaves in it. */
    boolean pinned(int gap) {
        return pins.leaves(storage[gap], from[gap], to[gap]);
    }

    /** {@link #KEEP}, {@link #RECOMPUTE}, or {@link #OFFLOAD} and beyond. */
    static int kind(int label) {
        return label >> 1;
    }

    /** Whether what is needed within the gap stays until it ends. */
    static boolean stays(int label) {
        return (label & 1) != 0;
    }

    static int label(int kind, boolean stays) {
        return kind << 1 | (stays ? 1 : 0);
    }

    /** Of each gap, the label with which nothing leaves, or the first allowed in a tier that has room. */
    int[] keepAll() {
        TierRoom room = TierRoom.besidePins(problem, this);
        return IntStream.range(0, storage.length)
                .map(gap -> label(allows(gap, KEEP) ? KEEP : least(gap, room), true))
                .toArray();
    }

    private int least(int gap, TierRoom room) {
        OptionalInt tier = pinned(gap) ? room.tierFor(this, gap) : OptionalInt.empty();
        return tier.isPresent() ? OFFLOAD + tier.getAsInt() : Integer.numberOfTrailingZeros(allowed[gap]);
    }

    private int allowed(int gap, StorageReads reads) {
        int v = storage[gap];
        int producer = problem.producer(v);
        boolean below = problem.home(v) != ProblemNode.DEVICE;
        boolean atBeginning = from[gap] < 0;
        boolean output = reads.values(v).anyMatch(problem::output);
        int tiers =
                below ? 1 << OFFLOAD + problem.home(v) : (1 << problem.tiers().size()) - 1 << OFFLOAD;
        if (output && !below || to[gap] == from[gap] + 1 && !atBeginning) {
            return 1 << KEEP;
        }
        int kinds = atBeginning ? 0 : 1 << KEEP;
        kinds |= problem.once(producer) || problem.pin(producer).isKept() ? 0 : 1 << RECOMPUTE;
        kinds |= problem.movable(v) ? tiers : 0;
        return pinned(gap) && problem.movable(v) ? tiers : kinds;
    }
}
