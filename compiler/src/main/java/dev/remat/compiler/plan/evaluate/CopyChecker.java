package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Follows what of each value is on the device and below it, and finds transfers that cannot be or are in vain. */
final class CopyChecker {
    private static final int NONE = -1;

    private final RematProblem problem;
    /** Per value: whether it is on the device, for what is not computed there. */
    private final boolean[] fetched;
    /** Per value: whether it was fetched and nothing has read it since. */
    private final boolean[] unread;
    /** Per value: whether a store was begun that nothing has awaited. */
    private final boolean[] storing;
    /** Per value: how often it had been changed when it was copied; {@link #NONE} without a copy. */
    private final int[] copied;

    CopyChecker(RematProblem problem) {
        this.problem = problem;
        int values = problem.valueCount();
        fetched = new boolean[values];
        unread = new boolean[values];
        storing = new boolean[values];
        copied = new int[values];
        for (int v = 0; v < values; v++) {
            copied[v] = livesBelow(v) ? 0 : NONE;
        }
    }

    /** Notes that a node reads or changes a value; says what is wrong with that. */
    Optional<String> use(int node, int value) {
        int storage = problem.storage(value);
        unread[value] = false;
        return livesBelow(storage) && !fetched[storage]
                ? Optional.of("'" + problem.nodeId(node) + "' needs '" + problem.valueId(storage)
                        + "', which lives below and was not fetched")
                : Optional.empty();
    }

    /**
     * Notes a transfer; says what is wrong with it.
     *
     * @param computed whether the value was computed before
     * @param changes how often it has been changed by now
     */
    Optional<String> move(SequenceStep step, boolean computed, int changes) {
        return switch (step) {
            case SequenceStep.Run run -> Optional.of("node " + run.node() + " runs and is no transfer");
            case SequenceStep.Store store -> store(store, computed || fetched[store.value()], changes);
            case SequenceStep.Await await -> {
                boolean awaited = storing[await.value()];
                storing[await.value()] = false;
                yield awaited
                        ? Optional.empty()
                        : Optional.of(name(await.value()) + " is awaited and not being stored");
            }
            case SequenceStep.Fetch fetch -> fetch(fetch.value(), changes);
        };
    }

    private Optional<String> store(SequenceStep.Store store, boolean onDevice, int changes) {
        int v = store.value();
        Optional<String> wrong = Optional.empty();
        if (!problem.movable(v)) {
            wrong = Optional.of(name(v) + " may not be stored");
        } else if (store.tier() >= problem.tiers().size()) {
            wrong = Optional.of("there is no tier " + store.tier());
        } else if (livesBelow(v) && store.tier() != problem.home(v)) {
            wrong = Optional.of(name(v) + " is stored elsewhere than where it lives");
        } else if (!onDevice) {
            wrong = Optional.of(name(v) + " is stored and not on the device");
        } else if (storing[v]) {
            wrong = Optional.of(name(v) + " is stored while it is being stored");
        }
        storing[v] = true;
        copied[v] = changes;
        return wrong;
    }

    private Optional<String> fetch(int v, int changes) {
        Optional<String> wrong = Optional.empty();
        if (copied[v] == NONE) {
            wrong = Optional.of(name(v) + " is fetched and has no copy below");
        } else if (copied[v] != changes) {
            wrong = Optional.of(name(v) + " is fetched and has changed since it was stored");
        } else if (unread[v]) {
            wrong = Optional.of(name(v) + " is fetched twice and not read between");
        }
        fetched[v] = true;
        unread[v] = true;
        return wrong;
    }

    /** Notes that a node computes the value; says what is wrong with that. */
    Optional<String> compute(int value) {
        boolean vain = unread[value];
        unread[value] = false;
        return vain ? Optional.of(name(value) + " was fetched and is computed again unread") : Optional.empty();
    }

    /** What is wrong when all steps are done. */
    List<String> end(int[] changes) {
        List<String> wrong = new ArrayList<>();
        for (int v = 0; v < copied.length; v++) {
            if (unread[v]) {
                wrong.add(name(v) + " is fetched and never read");
            }
            if (livesBelow(v) && copied[v] != changes[v]) {
                wrong.add(name(v) + " lives below, has changed, and is never stored");
            }
        }
        return wrong;
    }

    private boolean livesBelow(int value) {
        return problem.resident(value) && problem.storage(value) == value && problem.home(value) != ProblemNode.DEVICE;
    }

    private String name(int value) {
        return "'" + problem.valueId(value) + "'";
    }
}
