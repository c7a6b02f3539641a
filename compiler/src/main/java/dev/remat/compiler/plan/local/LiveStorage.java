package dev.remat.compiler.plan.local;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.PeakTree;
import dev.remat.compiler.plan.evaluate.StorageReads;
import dev.remat.compiler.plan.evaluate.StorageTimeline;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The slots at which each storage of a {@link StepLine} is in memory, kept up to date while steps come and go: the
 * same lifetimes as {@link StorageTimeline} finds, at a cost of the readers of the values concerned times a logarithm.
 *
 * <p>An empty slot holds what lives across it, which is never more than its neighbours hold.
 */
final class LiveStorage {
    private static final int NOWHERE = -1;

    private final RematProblem problem;
    private final StorageReads storages;
    private final StepLine line;
    private final PeakTree live;
    /** Per slot that is not empty: where its results stand in {@link #from} and {@link #last}. */
    private final int[] cells;

    private int[] from = new int[64];
    private int[] last = new int[64];
    private int used;
    /** Cells that are free again, by how many stand together. */
    private final List<IntList> free = new ArrayList<>();
    /** Per value of the storage in question: slots of the first and last run that show it. */
    private final int[] firstShown;

    private final int[] lastShown;

    LiveStorage(RematProblem problem, StorageReads storages, StepLine line) {
        this.problem = problem;
        this.storages = storages;
        this.line = line;
        long[] bytes = new long[line.slots()];
        Arrays.fill(bytes, problem.residentBytes());
        live = new PeakTree(bytes);
        cells = new int[line.slots()];
        firstShown = new int[problem.valueCount()];
        lastShown = new int[problem.valueCount()];
        for (int p = line.stepAfter(NOWHERE); p != StepLine.END; p = line.stepAfter(p)) {
            occupy(p);
        }
        for (int p = line.stepAfter(NOWHERE); p != StepLine.END; p = line.stepAfter(p)) {
            refreshOwn(line.node(p), p);
        }
    }

    /** Bytes in memory at each slot. */
    PeakTree bytes() {
        return live;
    }

    /** Takes note of a step that the line has got. */
    void added(int slot) {
        int node = line.node(slot);
        occupy(slot);
        refreshRead(node, slot);
        refreshEarlier(node, slot);
        refreshOwn(node, slot);
    }

    /** Takes a step out of the line. */
    void remove(int slot) {
        int node = line.node(slot);
        int results = problem.endResult(node) - problem.firstResult(node);
        int[] viewed = new int[2 * results];
        for (int k = 0; k < results; k++) {
            int v = problem.firstResult(node) + k;
            boolean view = problem.viewOf(v) != ProblemValue.NONE && !problem.resident(v);
            viewed[2 * k] = view ? problem.storage(v) : NOWHERE;
            viewed[2 * k + 1] = view ? rootSlot(v, slot) : NOWHERE;
            if (!view) {
                set(cells[slot] + k, v, slot, slot - 1);
            }
        }
        live.add(slot, slot + 1, -problem.workspaceBytes(node));
        release(cells[slot], results);
        line.remove(slot);
        refreshRead(node, slot);
        refreshEarlier(node, slot);
        for (int k = 0; k < results; k++) {
            if (viewed[2 * k + 1] >= 0) {
                refresh(viewed[2 * k], viewed[2 * k + 1]);
            }
        }
    }

    /** The last slot at which the storage of a value, made by the run at {@code slot}, is in memory. */
    int lastSlot(int value, int slot) {
        int root = rootSlot(value, slot);
        int storage = problem.storage(value);
        return root < 0 ? NOWHERE : last[cell(storage, root)];
    }

    /** Whether anything reads what the run at {@code slot} made, before it is made again. */
    boolean isRead(int slot) {
        int node = line.node(slot);
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            if (lastRead(v, slot, slot) > slot) {
                return true;
            }
        }
        return false;
    }

    /** Whether a step before {@code end} reads what the run at {@code slot} made. */
    boolean isReadBefore(int slot, int end) {
        int node = line.node(slot);
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            for (int k = 0; k < problem.readerCount(v); k++) {
                int read = line.after(problem.reader(v, k), slot);
                if (read < end && read < line.after(node, slot)) {
                    return true;
                }
            }
        }
        return false;
    }

    private int cell(int value, int slot) {
        return cells[slot] + value - problem.firstResult(problem.producer(value));
    }

    private void occupy(int slot) {
        int node = line.node(slot);
        int results = problem.endResult(node) - problem.firstResult(node);
        cells[slot] = allocate(results);
        for (int k = 0; k < results; k++) {
            from[cells[slot] + k] = slot;
            last[cells[slot] + k] = slot - 1;
        }
        live.add(slot, slot + 1, problem.workspaceBytes(node));
    }

    private int allocate(int results) {
        while (free.size() <= results) {
            free.add(new IntList());
        }
        IntList fitting = free.get(results);
        if (fitting.size() > 0) {
            return fitting.removeLast();
        }
        int at = used;
        used += results;
        if (used > from.length) {
            from = Arrays.copyOf(from, Math.max(used, 2 * from.length));
            last = Arrays.copyOf(last, from.length);
        }
        return at;
    }

    private void release(int cell, int results) {
        free.get(results).add(cell);
    }

    /** What the step at {@code slot} reads, or would read. */
    private void refreshRead(int node, int slot) {
        for (int k = 0; k < problem.inputCount(node); k++) {
            int v = problem.input(node, k);
            int made = problem.resident(v) ? NOWHERE : line.before(problem.producer(v), slot);
            int root = made < 0 ? NOWHERE : rootSlot(v, made);
            if (root >= 0) {
                refresh(problem.storage(v), root);
            }
        }
    }

    /** What the run of the node before {@code slot} made. */
    private void refreshEarlier(int node, int slot) {
        int earlier = line.before(node, slot);
        if (earlier >= 0) {
            refreshOwn(node, earlier);
        }
    }

    private void refreshOwn(int node, int slot) {
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            int root = problem.resident(v) ? NOWHERE : rootSlot(v, slot);
            if (root >= 0) {
                refresh(problem.storage(v), root);
            }
        }
    }

    /**
     * Slot of the run that allocated the storage which the value made at {@code slot} lies in; -1 if there is none.
     */
    private int rootSlot(int value, int slot) {
        int v = value;
        int at = slot;
        while (at >= 0 && problem.viewOf(v) != ProblemValue.NONE) {
            v = problem.viewOf(v);
            at = problem.residentNode(problem.producer(v)) ? NOWHERE : line.before(problem.producer(v), at);
        }
        return at;
    }

    /** Finds the lifetime of a storage anew, and with it that of results which may take its place. */
    private void refresh(int storage, int slot) {
        int cell = cell(storage, slot);
        int lastBefore = last[cell];
        int lastNow = lastUse(storage, slot);
        if (lastNow == lastBefore) {
            retake(storage, slot);
            return;
        }
        last[cell] = lastBefore;
        set(cell, storage, start(storage, slot), lastNow);
        retakeAt(lastBefore, slot, storage);
        retakeAt(lastNow, slot, storage);
    }

    private void retakeAt(int slot, int except, int replaced) {
        if (slot == except || slot < 0 || slot >= line.slots() || line.empty(slot)) {
            return;
        }
        int node = line.node(slot);
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            if (problem.inPlaceOf(v) != ProblemValue.NONE && problem.storage(problem.inPlaceOf(v)) == replaced) {
                retake(v, slot);
            }
        }
    }

    private void retake(int value, int slot) {
        if (problem.inPlaceOf(value) != ProblemValue.NONE) {
            int cell = cell(value, slot);
            set(cell, value, start(value, slot), last[cell]);
        }
    }

    private void set(int cell, int value, int newFrom, int newLast) {
        int slots = line.slots();
        long bytes = problem.bytes(value);
        add(newFrom, from[cell], bytes);
        add(Math.min(last[cell] + 1, slots), Math.min(newLast + 1, slots), bytes);
        from[cell] = newFrom;
        last[cell] = newLast;
    }

    private void add(int low, int high, long bytes) {
        if (bytes != 0) {
            live.add(low, high, bytes);
            live.add(high, low, -bytes);
        }
    }

    /** The first slot at which a storage counts: after the step that makes it where that step works in place. */
    private int start(int value, int slot) {
        return runsInPlace(value, slot) ? slot + 1 : slot;
    }

    private boolean runsInPlace(int value, int slot) {
        int old = replacedRoot(value, slot);
        if (old < 0 || last[cell(problem.storage(problem.inPlaceOf(value)), old)] != slot) {
            return false;
        }
        for (int v = problem.firstResult(problem.producer(value)); v < value; v++) {
            boolean rival = problem.inPlaceOf(v) != ProblemValue.NONE
                    && problem.storage(problem.inPlaceOf(v)) == problem.storage(problem.inPlaceOf(value));
            if (rival && replacedRoot(v, slot) == old) {
                return false;
            }
        }
        return true;
    }

    /** The run whose storage a result would reuse, sizes permitting, or -1. */
    private int replacedRoot(int value, int slot) {
        int replaced = problem.inPlaceOf(value);
        boolean may = replaced != ProblemValue.NONE
                && !problem.resident(replaced)
                && problem.bytes(problem.storage(replaced)) == problem.bytes(value);
        int made = may ? line.before(problem.producer(replaced), slot) : NOWHERE;
        return made < 0 ? NOWHERE : rootSlot(replaced, made);
    }

    /**
     * The last slot at which a storage is read through any of its values; after all slots for outputs. Only runs
     * that follow what they view within its lifetime count; of each reader only the last matters.
     */
    private int lastUse(int storage, int slot) {
        int end = slot;
        int members = storages.valueCount(storage);
        for (int m = 0; m < members; m++) {
            int v = storages.value(storage, m);
            int first = slot;
            int lastRun = slot;
            if (v != storage) {
                int viewed = problem.viewOf(v);
                int producer = problem.producer(v);
                first = firstShown[viewed] < 0 ? StepLine.END : line.after(producer, firstShown[viewed]);
                int until = first == StepLine.END ? 0 : line.after(problem.producer(viewed), lastShown[viewed]);
                lastRun = first >= until ? NOWHERE : line.before(producer, until);
                first = lastRun < 0 ? NOWHERE : first;
            }
            firstShown[v] = first;
            lastShown[v] = lastRun;
            if (first >= 0) {
                end = Math.max(end, lastRead(v, first, lastRun));
            }
        }
        return end;
    }

    private int lastRead(int value, int first, int lastRun) {
        int until = line.after(problem.producer(value), lastRun);
        if (until == StepLine.END && problem.output(value)) {
            return line.slots();
        }
        int end = lastRun;
        for (int k = 0; k < problem.readerCount(value); k++) {
            int read = line.before(problem.reader(value, k), until);
            end = read > first ? Math.max(end, read) : end;
        }
        return end;
    }
}
