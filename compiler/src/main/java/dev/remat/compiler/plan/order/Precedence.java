package dev.remat.compiler.plan.order;

import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which computed node waits for which, without what follows from the rest, and the series-parallel parts of that:
 * a node and the only one that waits for it and for nothing else become one, as do nodes that wait, and are
 * waited for, by the same others. Where all nodes become one, their order is series-parallel (Valdes, Tarjan and
 * Lawler, 1982).
 */
final class Precedence {
    /**
     * Two parts become one, which has the name of the first.
     *
     * @param series whether the second waits for the first, or neither for the other
     */
    record Join(int first, int second, boolean series) {}

    private final List<SortedSet<Integer>> before = new ArrayList<>();
    private final List<SortedSet<Integer>> after = new ArrayList<>();
    private final SortedSet<Integer> parts = new TreeSet<>();
    private final List<Join> joins = new ArrayList<>();

    Precedence(RematProblem problem, OrderRules rules) {
        List<BitSet> reached = new ArrayList<>();
        for (int n = 0; n < problem.nodeCount(); n++) {
            before.add(new TreeSet<>());
            after.add(new TreeSet<>());
            reached.add(new BitSet());
            if (!problem.residentNode(n)) {
                parts.add(n);
                connect(n, problem, rules, reached);
            }
        }
        int found = -1;
        while (joins.size() > found) {
            found = joins.size();
            joinInSeries();
            joinInParallel();
        }
    }

    /** In an order in which each can be made of what those before it made. */
    List<Join> joins() {
        return joins;
    }

    /** What is left when all joins are made: a single one if the order is series-parallel. */
    SortedSet<Integer> parts() {
        return parts;
    }

    /** The parts that one of those left waits for. */
    SortedSet<Integer> before(int part) {
        return before.get(part);
    }

    /** The parts that wait for one of those left. */
    SortedSet<Integer> after(int part) {
        return after.get(part);
    }

    private void connect(int node, RematProblem problem, OrderRules rules, List<BitSet> reached) {
        SortedSet<Integer> needed = new TreeSet<>();
        for (int other : rules.needed(node)) {
            if (!problem.residentNode(other)) {
                needed.add(other);
            }
        }
        BitSet reach = reached.get(node);
        for (int other : needed.reversed()) {
            if (!reach.get(other)) {
                before.get(node).add(other);
                after.get(other).add(node);
                reach.or(reached.get(other));
                reach.set(other);
            }
        }
    }

    private void joinInSeries() {
        for (int first : List.copyOf(parts)) {
            while (parts.contains(first) && after.get(first).size() == 1) {
                int second = after.get(first).getFirst();
                if (before.get(second).size() > 1) {
                    break;
                }
                joins.add(new Join(first, second, true));
                parts.remove(second);
                after.set(first, after.get(second));
                for (int next : after.get(second)) {
                    before.get(next).remove(second);
                    before.get(next).add(first);
                }
            }
        }
    }

    private void joinInParallel() {
        Map<List<SortedSet<Integer>>, Integer> firsts = new LinkedHashMap<>();
        List<Join> found = new ArrayList<>();
        for (int part : parts) {
            Integer first = firsts.putIfAbsent(List.of(before.get(part), after.get(part)), part);
            if (first != null) {
                found.add(new Join(first, part, false));
            }
        }
        for (Join join : found) {
            parts.remove(join.second());
            before.get(join.second()).forEach(needed -> after.get(needed).remove(join.second()));
            after.get(join.second()).forEach(waiting -> before.get(waiting).remove(join.second()));
        }
        joins.addAll(found);
    }
}
