package dev.remat.compiler.plan.local;

import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.compiler.plan.evaluate.Overwrites;
import dev.remat.compiler.plan.evaluate.StorageReads;
import dev.remat.ir.plan.RematProblem;

/**
 * A valid sequence that is being changed step by step: its cost and peak, and a log by which changes are taken back.
 */
final class SequenceDraft {
    private static final int SPACING = 8;

    private final RematProblem problem;
    private final StepLine line;
    private final LiveStorage storage;
    private final StepRules rules;
    private long cost;
    private long changes;
    /**
     * Of each change since the last {@link #keep}: the node, and its slot, or the complement of that if it was taken
     * out.
     */
    private final IntList log = new IntList();

    SequenceDraft(RematProblem problem, StorageReads storages, Overwrites overwrites, int[] steps) {
        this.problem = problem;
        line = new StepLine(problem, steps, SPACING);
        storage = new LiveStorage(problem, storages, line);
        rules = new StepRules(problem, overwrites, line);
        for (int node : steps) {
            cost += problem.cost(node);
        }
    }

    StepLine line() {
        return line;
    }

    LiveStorage storage() {
        return storage;
    }

    StepRules rules() {
        return rules;
    }

    /** Cost of all steps. */
    long cost() {
        return cost;
    }

    long peakBytes() {
        return storage.bytes().largest();
    }

    void insert(int node, int slot) {
        line.add(node, slot);
        storage.added(slot);
        cost += problem.cost(node);
        log.add(node);
        log.add(slot);
    }

    void remove(int slot) {
        int node = line.node(slot);
        storage.remove(slot);
        cost -= problem.cost(node);
        log.add(node);
        log.add(~slot);
    }

    /** Number of steps put in and taken out up to the last {@link #keep} or {@link #takeBack}. */
    long changes() {
        return changes;
    }

    /** Whether half of the slots are taken, so that a draft of the same steps would have more room. */
    boolean crowded() {
        return 2 * line.steps() > line.slots();
    }

    /** The nodes of all steps in order. */
    int[] toSteps() {
        return line.toSteps();
    }

    /** Makes all changes so far final. */
    void keep() {
        changes += log.size() / 2;
        log.clear();
    }

    /** Undoes all changes since the last {@link #keep}. */
    void takeBack() {
        changes += log.size();
        while (log.size() > 0) {
            int slot = log.removeLast();
            int node = log.removeLast();
            if (slot >= 0) {
                storage.remove(slot);
                cost -= problem.cost(node);
            } else {
                line.add(node, ~slot);
                storage.added(~slot);
                cost += problem.cost(node);
            }
        }
    }

    /**
     * An empty slot right before a step, for which steps before or after it may move; -1 if the line is full.
     */
    int roomBefore(int step) {
        int before = line.stepBefore(step);
        if (step - before > 1) {
            return before + (step - before) / 2;
        }
        int low = before;
        int high = step;
        int slots = line.slots();
        while (low >= 0 || high < slots) {
            if (low >= 0 && line.empty(low)) {
                for (int p = low + 1; p < step; p++) {
                    shift(p, p - 1);
                }
                return step - 1;
            }
            if (high < slots && line.empty(high)) {
                for (int p = high - 1; p >= step; p--) {
                    shift(p, p + 1);
                }
                return step;
            }
            low--;
            high++;
        }
        return StepLine.NONE;
    }

    /**
     * Whether so many slots right before a step are empty, for which steps before it may have moved, each once; not
     * where there are fewer before it in all.
     */
    boolean clear(int step, int count) {
        int low = step;
        int empty = 0;
        while (empty < count && low > 0) {
            low--;
            empty += line.empty(low) ? 1 : 0;
        }
        if (empty < count) {
            return false;
        }
        int to = low;
        for (int from = low + 1; from < step; from++) {
            if (!line.empty(from)) {
                shift(from, to++);
            }
        }
        return true;
    }

    private void shift(int from, int to) {
        int node = line.node(from);
        remove(from);
        insert(node, to);
    }
}
