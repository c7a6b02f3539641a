package dev.remat.compiler.plan.segment;

import dev.remat.compiler.plan.BackwardPlanner;
import dev.remat.compiler.plan.BestSequence;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.SearchLimits;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.build.Retention;
import dev.remat.compiler.plan.build.SequenceBuilder;
import dev.remat.compiler.plan.evaluate.IntList;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainReason;
import java.util.Set;
import org.jgrapht.alg.flow.PushRelabelMFImpl;
import org.jgrapht.graph.SimpleDirectedWeightedGraph;
import org.jgrapht.util.SupplierUtil;

/**
 * Chooses what to retain between forward and backward by minimum cuts, as PyTorch's partitioner of joint graphs does:
 * each forward value that the backward needs is either retained, at a price for its bytes, or computed again, at the
 * node's cost and with all its inputs needed. Among all choices the cheapest is a minimum cut of a network in which a
 * value is an edge as wide as its price (push-relabel, Goldberg and Tarjan, 1988).
 *
 * <p>One price λ a byte gives one plan. The family of plans over all λ is walked in powers of two and then bisected
 * around the plan that is best under the exact evaluator.
 */
public final class MinCut implements BackwardPlanner {
    private static final int OCTAVES = 12;
    private static final int BISECTIONS = 6;
    /** Width that stands for the cost of everything. */
    private static final double WHOLE = 1 << 20;
    /** More than any cut is wide. */
    private static final double ENDLESS = 4 * WHOLE;
    /** Parts of one that widths are rounded to. */
    private static final double FINENESS = 1 << 12;
    /** Nodes after which time is looked at. */
    private static final int CHECKED = 1024;

    @Override
    public String name() {
        return "min-cut";
    }

    @Override
    public OperatorSequence plan(RematProblem problem, PlannerOptions options) {
        Retention required = Retention.required(problem);
        double sum = 0;
        double bytes = 0;
        for (int v = 0; v < problem.valueCount(); v++) {
            if (problem.role(problem.producer(v)) == Role.FORWARD && !problem.resident(v)) {
                sum += problem.cost(problem.producer(v));
                bytes += problem.bytes(v);
            }
        }
        double costs = sum;
        double unit = Math.max(1, costs) / Math.max(1, bytes);
        BestSequence best = new BestSequence(problem, options);
        double factor = problem.nodeCount() > SearchLimits.LARGE ? 16 : 2;
        double bestPrice = 0;
        if (!best.attempt(() -> cut(problem, required, 0, costs, options.listener()))) {
            best.offer(kept(problem, required.copy()));
        }
        for (double price = Math.pow(2, -OCTAVES); price <= Math.pow(2, OCTAVES); price *= factor) {
            double tried = price * unit;
            bestPrice =
                    best.attempt(() -> cut(problem, required, tried, costs, options.listener())) ? price : bestPrice;
        }
        int bisections = problem.nodeCount() > SearchLimits.LARGE ? 2 : BISECTIONS;
        for (int i = 0; bestPrice > 0 && i < bisections; i++) {
            factor = Math.sqrt(factor);
            for (double price : new double[] {bestPrice / factor, bestPrice * factor}) {
                bestPrice = best.attempt(() -> cut(problem, required, price * unit, costs, options.listener()))
                        ? price
                        : bestPrice;
            }
        }
        return best.sequence();
    }

    private OperatorSequence cut(
            RematProblem problem, Retention required, double price, double costs, SearchListener listener) {
        Retention retention = required.copy();
        retainCut(problem, retention, price, costs, listener);
        return SequenceBuilder.build(name(), problem, retention);
    }

    /** What there is where time is up before the first cut is found. */
    private OperatorSequence kept(RematProblem problem, Retention retention) {
        retention.retainAll(RetainReason.CHOSEN);
        return SequenceBuilder.build(name(), problem, retention);
    }

    /**
     * Adds to {@code retention} what is cheaper to retain at {@code price} a byte than to compute again.
     *
     * @throws dev.remat.compiler.plan.TimeIsUpException if the listener says so before the flow is computed
     */
    public static void retainCut(
            RematProblem problem, Retention retention, double price, double costs, SearchListener listener) {
        // Vertices: value v, then node n at valueCount + n, which needs its inputs if it runs again.
        int nodeBase = problem.valueCount();
        int source = nodeBase + problem.nodeCount();
        int sink = source + 1;
        SimpleDirectedWeightedGraph<Integer, Integer> network =
                new SimpleDirectedWeightedGraph<>(null, SupplierUtil.createIntegerSupplier());
        network.addVertex(source);
        network.addVertex(sink);
        // Widths are multiples of a power of two, so that sums are exact: without that the algorithm may not end.
        double scale = WHOLE / Math.max(1, costs);
        int firstBackward = Retention.firstBackward(problem);
        boolean[] entered = new boolean[problem.nodeCount()];
        IntList queue = new IntList();
        for (int v = 0; v < problem.valueCount(); v++) {
            if (mayDrop(problem, retention, v) && neededByBackward(problem, v, firstBackward)) {
                network.addVertex(v);
                network.setEdgeWeight(network.addEdge(source, v), ENDLESS);
                enter(problem.producer(v), entered, queue);
            }
        }
        for (int i = 0; i < queue.size(); i++) {
            if (i % CHECKED == 0) {
                listener.check();
            }
            int node = queue.get(i);
            network.addVertex(nodeBase + node);
            network.setEdgeWeight(network.addEdge(nodeBase + node, sink), exact(problem.cost(node) * scale));
            for (int k = 0; k < problem.inputCount(node); k++) {
                int v = problem.input(node, k);
                if (mayDrop(problem, retention, v)) {
                    network.addVertex(v);
                    network.setEdgeWeight(network.addEdge(nodeBase + node, v), ENDLESS);
                    enter(problem.producer(v), entered, queue);
                }
            }
            for (int v = problem.firstResult(node); v < problem.endResult(node); v++) {
                boolean mayRetain = problem.pin(node) != Pin.RECOMPUTE;
                double width = mayRetain ? exact(problem.bytes(problem.storage(v)) * price * scale) : ENDLESS;
                network.addVertex(v);
                network.setEdgeWeight(network.addEdge(v, nodeBase + node), width);
            }
        }
        if (queue.size() == 0) {
            return;
        }
        listener.check();
        PushRelabelMFImpl<Integer, Integer> flow = new PushRelabelMFImpl<>(network);
        flow.calculateMinCut(source, sink);
        Set<Integer> needed = flow.getSourcePartition();
        for (int v = 0; v < problem.valueCount(); v++) {
            if (needed.contains(v) && !needed.contains(nodeBase + problem.producer(v))) {
                retention.retain(v, RetainReason.CHOSEN);
            }
        }
    }

    private static double exact(double width) {
        return Math.min(ENDLESS, Math.max(1, Math.rint(width * FINENESS)) / FINENESS);
    }

    private static void enter(int node, boolean[] entered, IntList queue) {
        if (!entered[node]) {
            entered[node] = true;
            queue.add(node);
        }
    }

    private static boolean mayDrop(RematProblem problem, Retention retention, int value) {
        return problem.role(problem.producer(value)) == Role.FORWARD
                && !problem.resident(value)
                && !problem.residentNode(problem.producer(value))
                && !retention.retained(value);
    }

    private static boolean neededByBackward(RematProblem problem, int value, int firstBackward) {
        for (int k = 0; k < problem.readerCount(value); k++) {
            int reader = problem.reader(value, k);
            if (reader >= firstBackward && problem.role(reader) != Role.FORWARD) {
                return true;
            }
        }
        return false;
    }
}
