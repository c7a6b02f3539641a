package dev.remat.compiler.plan.order;

import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The backward as if it were made of trees, which Sethi and Ullman (1970) order best: in front of each node what it
 * needs, first what takes most memory on its way beyond what it leaves. What nothing waits for comes by the length of
 * the longest path to it. So gradients of a weight that is used at every step of a recurrence are added up one by one,
 * and those of one layer end, and are used up, before those of the next begin. The forward keeps its order.
 *
 * <p>What is needed in several places is counted in each. Takes time in proportion to the edges times a logarithm.
 */
final class OrderByDemand {
    private final RematProblem problem;
    private final OrderRules rules;
    /** Per node: number of nodes on the longest path to it. */
    private final int[] depth;
    /** Per node: bytes that its results take. */
    private final long[] left;
    /** Per node: bytes on the way to its results if nothing is there before. */
    private final long[] demand;
    /** What takes more on its way than it leaves, most such first. */
    private final Comparator<Integer> mostFirst;

    OrderByDemand(RematProblem problem, OrderRules rules) {
        this.problem = problem;
        this.rules = rules;
        depth = new int[problem.nodeCount()];
        left = new long[depth.length];
        demand = new long[depth.length];
        mostFirst = Comparator.comparingLong(n -> left[n] - demand[n]);
        for (int n = 0; n < depth.length; n++) {
            measure(n);
        }
    }

    /** All nodes, the forward before the backward. */
    int[] order() {
        int firstBackward = Retention.firstBackward(problem);
        List<Integer> ends = ends(firstBackward);
        boolean[] done = new boolean[depth.length];
        IntList order = new IntList();
        for (int n = 0; n < firstBackward; n++) {
            done[n] = true;
            order.add(n);
        }
        ends.forEach(end -> append(end, done, order));
        return order.toArray();
    }

    /**
     * What ends of one length need, or of lengths that differ by one, in the given order, and forward nodes only
     * where something of the backward asks for them; what none asks for comes last. So what several gradients read is
     * not kept from the first to the last of them, nor from the forward on what only its own end needs.
     */
    int[] together() {
        int firstBackward = Retention.firstBackward(problem);
        boolean[] done = new boolean[depth.length];
        IntList order = new IntList();
        List<Integer> asking = new ArrayList<>();
        List<Integer> ends = ends(firstBackward);
        for (int i = 0; i < ends.size(); i++) {
            asking.add(ends.get(i));
            boolean last = i == ends.size() - 1 || depth[ends.get(i + 1)] > depth[ends.get(i)] + 1;
            if (last) {
                for (int node : undone(asking, done)) {
                    for (int needed : node < firstBackward ? List.<Integer>of() : undone(List.of(node), done)) {
                        done[needed] = true;
                        order.add(needed);
                    }
                }
                asking.clear();
            }
        }
        IntStream.range(0, depth.length).filter(n -> !done[n]).forEach(order::add);
        return order.toArray();
    }

    /** The nodes and all that they need and that has not run, in the given order. */
    private SortedSet<Integer> undone(List<Integer> nodes, boolean[] done) {
        SortedSet<Integer> found = new TreeSet<>(nodes);
        IntList stack = new IntList();
        nodes.forEach(stack::add);
        while (stack.size() > 0) {
            for (int needed : rules.needed(stack.removeLast())) {
                if (!done[needed] && found.add(needed)) {
                    stack.add(needed);
                }
            }
        }
        return found;
    }

    /** Nodes of the backward that nothing waits for, by the longest path to them. */
    private List<Integer> ends(int firstBackward) {
        List<Integer> ends = new ArrayList<>();
        IntStream.range(firstBackward, depth.length)
                .filter(n -> rules.waiting(n).length == 0)
                .forEach(ends::add);
        ends.sort(Comparator.comparingInt(n -> depth[n]));
        return ends;
    }

    private void measure(int node) {
        for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
            boolean owns = problem.viewOf(v) == ProblemValue.NONE && !problem.resident(v);
            left[node] += owns ? problem.bytes(v) : 0;
        }
        long held = 0;
        for (int needed : mostFirst(node)) {
            depth[node] = Math.max(depth[node], depth[needed] + 1);
            demand[node] = Math.max(demand[node], held + demand[needed]);
            held += left[needed];
        }
        demand[node] = Math.max(demand[node], held + left[node] + problem.workspaceBytes(node));
    }

    private List<Integer> mostFirst(int node) {
        return IntStream.of(rules.needed(node)).boxed().sorted(mostFirst).toList();
    }

    private void append(int end, boolean[] done, IntList order) {
        IntList stack = new IntList();
        stack.add(end);
        while (stack.size() > 0) {
            int top = stack.get(stack.size() - 1);
            int below = stack.size();
            if (!done[top]) {
                mostFirst(top).reversed().stream()
                        .filter(needed -> !done[needed])
                        .forEach(stack::add);
            }
            if (stack.size() == below) {
                stack.removeLast();
                if (!done[top]) {
                    done[top] = true;
                    order.add(top);
                }
            }
        }
    }
}
