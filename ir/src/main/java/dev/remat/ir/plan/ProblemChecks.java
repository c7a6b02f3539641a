package dev.remat.ir.plan;

import dev.remat.ir.graph.Role;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What must hold of a {@link RematProblem}. */
final class ProblemChecks {
    /** Largest sum of all bytes, and of all costs, that a problem may have: keeps every later sum within a long. */
    static final long MAX_TOTAL = 1L << 60;

    private ProblemChecks() {}

    /** Requires that everything before {@code node} has been checked. */
    static void checkNode(RematProblem problem, int node) {
        ProblemNode n = problem.node(node);
        int defined = problem.firstResult(node);
        for (int v : n.inputs()) {
            require(v >= 0 && v < defined, node, "node '", n.id(), "' reads value ", v, " before it is computed");
        }
        if (n.resident()) {
            require(
                    n.inputs().isEmpty() && n.writes().isEmpty(),
                    node,
                    "resident node '",
                    n.id(),
                    "' is never computed, so it can have neither inputs nor writes");
            require(n.pin() == Pin.NONE, node, "resident node '", n.id(), "' is always in memory; a pin has no effect");
        }
        require(
                n.home() == ProblemNode.DEVICE
                        || n.resident()
                                && n.home() >= 0
                                && n.home() < problem.tiers().size(),
                node,
                "node '",
                n.id(),
                n.resident()
                        ? "' has its home in a tier that there is not"
                        : "' is computed on the device; only a resident has its home below");
        require(
                n.home() == ProblemNode.DEVICE || n.offloadable(),
                node,
                "node '",
                n.id(),
                "' has its home below the device, so it must be offloadable");
        for (int v : n.writes()) {
            require(
                    v >= 0 && v < defined && problem.node(problem.producer(v)).runsOnce(),
                    node,
                    "node '",
                    n.id(),
                    "' writes something that is neither resident nor computed once");
        }
        for (ProblemValue result : n.results()) {
            require(
                    result.viewOf() == ProblemValue.NONE || n.inputs().contains(result.viewOf()),
                    node,
                    "value '",
                    result.id(),
                    "' can only be a view of an input of its node '",
                    n.id(),
                    "'");
            require(
                    result.inPlaceOf() == ProblemValue.NONE || n.inputs().contains(result.inPlaceOf()),
                    node,
                    "value '",
                    result.id(),
                    "' can only take the place of an input of its node '",
                    n.id(),
                    "'");
        }
        require(
                n.pin() != Pin.RECOMPUTE || n.role() == Role.FORWARD && !n.runsOnce(),
                node,
                "node '",
                n.id(),
                "' ",
                n.role() == Role.FORWARD ? "must run once" : "is not of the forward",
                ", so it cannot be pinned to be recomputed");
    }

    /** Names tell tiers apart, and a sequence can. */
    static void checkTiers(List<Tier> tiers) {
        Set<String> names = new LinkedHashSet<>();
        for (Tier tier : tiers) {
            require(names.add(tier.name()), -1, "there are two tiers '", tier.name(), "'");
        }
        require(
                tiers.size() <= SequenceStep.MOST_TIERS,
                -1,
                "there are ",
                tiers.size(),
                " tiers, more than ",
                SequenceStep.MOST_TIERS);
    }

    static void checkOutputs(RematProblem problem, List<Integer> outputs) {
        for (int v : outputs) {
            require(v >= 0 && v < problem.valueCount(), -1, "output ", v, " is not a value");
        }
    }

    static void checkTotals(RematProblem problem) {
        require(
                problem.tiers().isEmpty() || problem.valueCount() <= SequenceStep.MOST_VALUES,
                -1,
                "there are tiers and ",
                problem.valueCount(),
                " values, more than ",
                SequenceStep.MOST_VALUES);
        Map<String, Integer> nodes = new LinkedHashMap<>();
        Map<String, Integer> values = new LinkedHashMap<>();
        long cost = 0;
        long bytes = 0;
        for (int n = 0; n < problem.nodeCount(); n++) {
            require(nodes.put(problem.nodeId(n), n) == null, n, "duplicate node id '", problem.nodeId(n), "'");
            cost = sum(cost, problem.cost(n), n, "costs");
            bytes = sum(bytes, problem.workspaceBytes(n), n, "bytes");
            for (int v = problem.firstResult(n); v < problem.endResult(n); v++) {
                require(values.put(problem.valueId(v), n) == null, n, "duplicate value id '", problem.valueId(v), "'");
                bytes = sum(bytes, problem.bytes(v), n, "bytes");
            }
        }
    }

    /** No node may need what an earlier node of the given order has overwritten. */
    static void checkWriteOrder(RematProblem problem) {
        int[] lastWriter = new int[problem.valueCount()];
        Arrays.fill(lastWriter, -1);
        for (int n = 0; n < problem.nodeCount(); n++) {
            for (int k = 0; k < problem.inputCount(n); k++) {
                int v = problem.input(n, k);
                int writer = lastWriter[problem.storage(v)];
                require(
                        writer < 0 || problem.producer(v) >= writer,
                        n,
                        "node '",
                        problem.nodeId(n),
                        "' reads '",
                        problem.valueId(v),
                        "' after node '",
                        problem.nodeId(Math.max(0, writer)),
                        "' has changed it");
            }
            for (int w : problem.writes(n)) {
                lastWriter[w] = n;
            }
        }
    }

    private static long sum(long sum, long term, int node, String what) {
        if (term > MAX_TOTAL - sum) {
            throw new ExcessiveTotalException(node, what);
        }
        return sum + term;
    }

    /** @param message in parts, which are joined where it does not hold */
    private static void require(boolean holds, int node, Object... message) {
        if (!holds) {
            throw new InvalidProblemException(
                    node, Arrays.stream(message).map(String::valueOf).collect(Collectors.joining()));
        }
    }
}
