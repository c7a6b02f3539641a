package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.SequenceStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds what makes an operator sequence wrong, before anyone asks what it costs. */
public final class SequenceChecker {
    private static final int MAX_VIOLATIONS = 20;

    private final RematProblem problem;
    private final int[] computations;
    /** Of each value, how often its resident storage had been changed when it was made. */
    private final int[] version;
    /** Of each resident value, how often it has been changed. */
    private final int[] changes;
    /** Of each resident value, the node that changed it last. */
    private final int[] changedBy;

    /** Of problems with tiers. */
    private final Optional<CopyChecker> copies;

    /** Of problems with tiers. */
    private final Optional<OffloadPins> pins;

    private final boolean[] fetched;

    private final List<String> violations = new ArrayList<>();

    private SequenceChecker(RematProblem problem) {
        this.problem = problem;
        computations = new int[problem.nodeCount()];
        version = new int[problem.valueCount()];
        changes = new int[problem.valueCount()];
        changedBy = new int[problem.valueCount()];
        pins = problem.tiers().isEmpty() ? Optional.empty() : Optional.of(OffloadPins.of(problem));
        fetched = new boolean[problem.valueCount()];
        copies = problem.tiers().isEmpty() ? Optional.empty() : Optional.of(new CopyChecker(problem));
    }

    /** Sentences that name step and node, at most twenty; none if the sequence is valid. */
    public static List<String> violations(RematProblem problem, OperatorSequence sequence) {
        SequenceChecker checker = new SequenceChecker(problem);
        for (int t = 0; t < sequence.length(); t++) {
            if (sequence.runs(t)) {
                checker.run(t, sequence.node(t));
            } else {
                checker.move(t, sequence.step(t));
            }
        }
        checker.checkCounts();
        checker.copies.ifPresent(copies -> copies.end(checker.changes).forEach(checker::report));
        return List.copyOf(checker.violations);
    }

    private void run(int step, int node) {
        if (node >= problem.nodeCount()) {
            report(step, "there is no node " + node);
            return;
        }
        if (problem.residentNode(node)) {
            report(step, "'" + problem.nodeId(node) + "' is resident and never computed");
            return;
        }
        for (int k = 0; k < problem.inputCount(node); k++) {
            read(step, node, problem.input(node, k));
            use(step, node, problem.input(node, k));
        }
        for (int written : problem.writes(node)) {
            use(step, node, written);
            changes[written]++;
            if (node < changedBy[written]) {
                report(
                        step,
                        "'" + problem.nodeId(node) + "' changes '" + problem.valueId(written) + "' after '"
                                + problem.nodeId(changedBy[written]) + "', which must come later");
            }
            changedBy[written] = node;
        }
        computations[node]++;
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            version[v] = changes[problem.storage(v)];
            if (copies.isPresent()) {
                copies.get().compute(v).ifPresent(what -> report(step, what));
            }
        }
    }

    private void use(int step, int node, int value) {
        if (copies.isPresent()) {
            copies.get().use(node, value).ifPresent(what -> report(step, what));
        }
    }

    private void move(int step, SequenceStep move) {
        int value = switch (move) {
            case SequenceStep.Run run -> throw new IllegalArgumentException(run + " is no transfer");
            case SequenceStep.Store store -> store.value();
            case SequenceStep.Await await -> await.value();
            case SequenceStep.Fetch fetch -> fetch.value();
        };
        if (copies.isEmpty() || value >= problem.valueCount()) {
            report(step, copies.isEmpty() ? "there is no tier to move values to" : "there is no value " + value);
            return;
        }
        boolean computed = computations[problem.producer(value)] > 0;
        fetched[value] |= move instanceof SequenceStep.Fetch;
        copies.get().move(move, computed, changes[value]).ifPresent(what -> report(step, what));
    }

    private void read(int step, int node, int value) {
        int producer = problem.producer(value);
        if (problem.residentNode(producer)) {
            checkVersion(step, node, value);
        } else if (computations[producer] == 0) {
            report(step, "'" + problem.nodeId(node) + "' reads '" + problem.valueId(value) + "' before it is computed");
        } else {
            checkVersion(step, node, value);
            boolean forTheBackward = problem.role(node) == Role.BACKWARD || computations[node] > 0;
            if (problem.pin(producer) == Pin.RECOMPUTE && computations[producer] == 1 && forTheBackward) {
                report(
                        step,
                        "'" + problem.nodeId(node) + "' reads the first computation of '" + problem.valueId(value)
                                + "', which is pinned to be recomputed");
            }
            int storage = problem.storage(value);
            if (pins.isPresent() && pins.get().leaves(storage) && !fetched[storage] && forTheBackward) {
                report(
                        step,
                        "'" + problem.nodeId(node) + "' reads '" + problem.valueId(value)
                                + "', which is pinned to be offloaded, before it has been fetched");
            }
        }
    }

    private void checkVersion(int step, int node, int value) {
        if (version[value] != changes[problem.storage(value)]) {
            report(
                    step,
                    "'" + problem.nodeId(node) + "' reads '" + problem.valueId(value) + "' after '"
                            + problem.valueId(problem.storage(value)) + "' has been changed");
        }
    }

    private void checkCounts() {
        for (int n = 0; n < problem.nodeCount(); n++) {
            if (problem.residentNode(n)) {
                continue;
            }
            if (computations[n] == 0) {
                report("'" + problem.nodeId(n) + "' is never computed");
            } else if (computations[n] > 1 && problem.once(n)) {
                report("'" + problem.nodeId(n) + "' must run once and runs " + computations[n] + " times");
            } else if (computations[n] > 1 && problem.pin(n).isKept()) {
                report("'" + problem.nodeId(n) + "' is pinned to be kept and runs " + computations[n] + " times");
            }
        }
    }

    private void report(int step, String what) {
        report("step " + step + ": " + what);
    }

    private void report(String what) {
        if (violations.size() < MAX_VIOLATIONS) {
            violations.add(what);
        }
    }
}
