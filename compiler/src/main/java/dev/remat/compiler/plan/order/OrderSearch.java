package dev.remat.compiler.plan.order;

import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.ir.plan.RematProblem;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Simulated annealing over orders (Kirkpatrick, Gelatt and Vecchi, 1983), each move one node elsewhere between what it
 * needs and what needs it: minimises what is in memory beyond a target, summed over the order, so that there is a slope
 * where the peak alone would show none. Walks side by side from fixed seeds, their length counted in positions passed.
 */
final class OrderSearch {
    /** Work of a walk for each node, and in all. */
    private static final long WORK_A_NODE = 1_000_000;

    private static final long MOST_WORK = 800_000_000;
    /** A quick search does this part of the work. */
    private static final int QUICK_PART = 10;
    /** Work of a move beside the positions that it passes. */
    private static final int WORK_A_MOVE = 24;
    /** Work between two looks at the clock. */
    private static final long PERIOD = 1_000_000;
    /** Temperatures at the start and the end, as parts of the mean bytes of a node; the first for every node. */
    private static final double[] FIRST = {0.1, 0.3};

    private static final double LAST = 0.5;

    private record Found(int[] order, long excess) {}

    private final RematProblem problem;
    private final OrderRules rules;
    private final long target;
    private final PlannerOptions options;
    private final int[] movable;
    private final double meanBytes;

    /** @param target bytes that the search tries not to exceed */
    OrderSearch(RematProblem problem, OrderRules rules, long target, PlannerOptions options) {
        this.problem = problem;
        this.rules = rules;
        this.target = target;
        this.options = options;
        movable = IntStream.range(0, problem.nodeCount())
                .filter(n -> !problem.residentNode(n))
                .toArray();
        long bytes = 0;
        for (int v = 0; v < problem.valueCount(); v++) {
            bytes += problem.resident(v) ? 0 : problem.bytes(v);
        }
        meanBytes = (double) bytes / Math.max(1, movable.length);
    }

    /** An order that exceeds the target by no more than {@code start}; the walks end where one does not exceed it. */
    int[] improve(int[] start) {
        Found first = new Found(start, new OrderDraft(problem, rules, start, target).excess());
        List<Found> found = IntStream.range(0, FIRST.length)
                .parallel()
                .mapToObj(walk -> walk(first, walk))
                .toList();
        Found best = found.stream().min(Comparator.comparingLong(Found::excess)).orElseThrow();
        return best.excess() < first.excess() ? best.order() : start;
    }

    private Found walk(Found start, int number) {
        OrderDraft draft = new OrderDraft(problem, rules, start.order(), target);
        SplittableRandom random = new SplittableRandom(number + 1);
        long most = Math.min(MOST_WORK, WORK_A_NODE * movable.length);
        most = options.effort() == PlannerOptions.Effort.FULL ? most : most / QUICK_PART;
        double first = Math.max(LAST, FIRST[number] * movable.length) * meanBytes;
        double cooling = Math.log(LAST * meanBytes / first);
        SearchListener listener = options.listener();
        Found best = start;
        double temperature = first;
        long looked = -PERIOD;
        long work = 0;
        while (work < most && draft.excess() > 0) {
            if (work - looked >= PERIOD) {
                looked = work;
                temperature = first * Math.exp(cooling * work / most);
                best = draft.excess() < best.excess() ? new Found(draft.order(), draft.excess()) : best;
                if (listener.expired()) {
                    return best;
                }
            }
            work += WORK_A_MOVE;
            int node = movable[random.nextInt(movable.length)];
            int low = draft.low(node);
            int high = draft.high(node);
            int at = draft.position(node);
            int to = low + random.nextInt(high - low + 1);
            if (to == at) {
                continue;
            }
            work += Math.abs(to - at);
            long grows = draft.move(node, to);
            if (grows <= 0 || random.nextDouble() < Math.exp(-grows / temperature)) {
                draft.keep();
            } else {
                draft.takeBack();
            }
        }
        return draft.excess() < best.excess() ? new Found(draft.order(), draft.excess()) : best;
    }
}
