package dev.remat.compiler.plan.order;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.TimeIsUpException;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Looks for an order of the nodes that needs less memory before anything is computed twice: what frees at least as much
 * as it makes runs as soon as it can, such as gradients of weights and their updates, and what only takes memory as
 * late as the given order, or the first node that needs it, lets it; up to some thousand nodes also by {@link
 * OrderBeam}, and without a backward by {@link OrderByParts}, above that by {@link OrderByDemand}, which may leave
 * forward nodes for later. Else they stay before the backward. Takes time in proportion to the edges times a
 * logarithm, and for the beam to the square of the nodes.
 */
public final class Reorder {
    /** Mean number of other places that a node may take, from which on orders are searched. */
    private static final long LEAST_PLACES = 2;

    private final RematProblem problem;
    private final OrderRules rules;
    private final int firstBackward;
    /** The given order. */
    private final int[] base;

    private Reorder(RematProblem problem) {
        this.problem = problem;
        rules = new OrderRules(problem);
        firstBackward = Retention.firstBackward(problem);
        base = new int[problem.nodeCount()];
        Arrays.setAll(base, n -> n);
    }

    /** The order of the lowest peak, or nothing if none is below that of the given order. */
    public static Optional<Reordering> run(RematProblem problem, SearchListener listener) {
        Reorder reorder = new Reorder(problem);
        Optional<Reordering> best = Optional.empty();
        long least = Reordering.keepAllBytes(problem);
        for (int[] order : reorder.orders(listener, OrderBeam.NARROW)) {
            Reordering candidate = new Reordering(problem, order);
            long peak = Reordering.keepAllBytes(candidate.problem());
            if (peak < least) {
                least = peak;
                best = Optional.of(candidate);
            }
        }
        return best;
    }

    /** The same for a large problem, if keeping everything takes much less in it. */
    public static Optional<Reordering> ofLarge(RematProblem problem, SearchListener listener) {
        boolean large = problem.nodeCount() > SearchLimits.ASKED_AROUND;
        return large ? run(problem, listener).filter(Reordering::takesMuchLess) : Optional.empty();
    }

    /**
     * Whether a search over orders is worth its time: nodes may stand in many places, and there is no backward, whose
     * needs outweigh what the order of the forward gives.
     */
    public static boolean pays(RematProblem problem) {
        Reorder reorder = new Reorder(problem);
        OrderDraft draft = new OrderDraft(problem, reorder.rules, reorder.base, 0);
        long places = 0;
        int nodes = 0;
        for (int n = 0; n < reorder.base.length; n++) {
            if (!problem.residentNode(n)) {
                places += draft.high(n) - draft.low(n);
                nodes++;
            }
        }
        return reorder.firstBackward == reorder.base.length && places >= LEAST_PLACES * Math.max(1, nodes);
    }

    /**
     * The order that exceeds the budget in the options by the least, summed over its steps: the best of the given one,
     * of some that rules make, and of what {@link OrderSearch} makes of it.
     */
    public static Reordering search(RematProblem problem, PlannerOptions options) {
        Reorder reorder = new Reorder(problem);
        long budget = options.budgetBytes().orElseThrow();
        int[] best = reorder.base;
        long least = new OrderDraft(problem, reorder.rules, best, budget).excess();
        for (int[] order : reorder.orders(options.listener(), OrderBeam.wide(problem))) {
            long excess = new OrderDraft(problem, reorder.rules, order, budget).excess();
            if (excess < least) {
                least = excess;
                best = order;
            }
        }
        return new Reordering(problem, new OrderSearch(problem, reorder.rules, budget, options).improve(best));
    }

    private List<int[]> orders(SearchListener listener, int width) {
        List<int[]> orders = new ArrayList<>(List.of(late(), eager(base, true), eager(late(), true)));
        if (base.length > SearchLimits.ASKED_AROUND) {
            OrderByDemand byDemand = new OrderByDemand(problem, rules);
            orders.add(byDemand.order());
            orders.add(eager(byDemand.together(), false));
        } else {
            if (firstBackward == base.length) {
                orders.add(new OrderByParts(problem, rules).find().order());
            }
            try {
                orders.add(new OrderBeam(problem, rules, listener, width).order());
            } catch (TimeIsUpException e) {
                return orders;
            }
        }
        return orders;
    }

    /** Every node right before the first that needs it; those that none needs as given. */
    private int[] late() {
        int[] order = new int[base.length];
        boolean[] done = new boolean[base.length];
        IntList stack = new IntList();
        int size = 0;
        for (int n = 0; n < base.length; n++) {
            boolean awaited = false;
            for (int other : rules.waiting(n)) {
                awaited |= other < firstBackward == n < firstBackward;
            }
            if (!awaited) {
                stack.add(n);
            }
            while (stack.size() > 0) {
                int top = stack.get(stack.size() - 1);
                int below = stack.size();
                if (!done[top]) {
                    rules.forEachNeeded(top, needed -> {
                        if (!done[needed]) {
                            stack.add(needed);
                        }
                    });
                }
                if (stack.size() == below) {
                    stack.removeLast();
                    if (!done[top]) {
                        done[top] = true;
                        order[size++] = top;
                    }
                }
            }
        }
        return order;
    }

    /**
     * Follows an order, but runs whatever adds no bytes as soon as it can, the backward after the forward if {@code
     * apart}.
     */
    private int[] eager(int[] from, boolean apart) {
        int[] order = new int[base.length];
        int[] needed = new int[base.length];
        int[] readsLeft = new int[problem.valueCount()];
        for (int n = 0; n < base.length; n++) {
            for (int other : rules.waiting(n)) {
                needed[other]++;
            }
            for (int k = 0; k < problem.inputCount(n); k++) {
                readsLeft[problem.storage(problem.input(n, k))]++;
            }
        }
        boolean[] done = new boolean[base.length];
        PriorityQueue<Integer> free = new PriorityQueue<>();
        int size = 0;
        int next = 0;
        while (size < order.length) {
            while (free.isEmpty() && done[from[next]]) {
                next++;
            }
            int node = free.isEmpty() ? from[next] : free.remove();
            if (done[node]) {
                continue;
            }
            done[node] = true;
            order[size++] = node;
            for (int other : rules.waiting(node)) {
                needed[other]--;
                offer(other, apart ? size : order.length, needed, readsLeft, free);
            }
            for (int k = 0; k < problem.inputCount(node); k++) {
                int value = problem.input(node, k);
                if (--readsLeft[problem.storage(value)] == 1) {
                    for (int r = 0; r < problem.readerCount(value); r++) {
                        int reader = problem.reader(value, r);
                        if (!done[reader]) {
                            offer(reader, apart ? size : order.length, needed, readsLeft, free);
                        }
                    }
                }
            }
        }
        return order;
    }

    private void offer(int node, int ran, int[] needed, int[] readsLeft, PriorityQueue<Integer> free) {
        boolean itsTurn = node < firstBackward || ran >= firstBackward;
        if (itsTurn && needed[node] == 0 && rules.addedBytes(node, readsLeft) <= 0) {
            free.add(node);
        }
    }
}
