package dev.remat.compiler.simplify;

import static dev.remat.compiler.simplify.JoinProducts.ENOUGH;
import static dev.remat.compiler.simplify.JoinProducts.FEW;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Region;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Slice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Products of few rows each with one matrix as a product of them all. The map of its input, which a cell applies at
 * every step of a sequence, depends on no step before, and neither does what its gradient gives the layer below; what
 * a step does with its state stays (Appleyard, Kočiský and Blunsom, 2016).
 *
 * <pre>
 * before: %p = matmul(%a, %m)  %q = matmul(%b, %m)
 * after:  %0 = concat{axis=0}(%a, %b)  %1 = matmul(%0, %m)  %p = slice(%1)  %q = slice(%1)
 * </pre>
 *
 * <p>As many rows as are fast, since all have to be in memory at once. Nodes keep their order but for those that wait
 * for rows of later steps. Bits follow from the graph alone, whatever is planned.
 */
public final class StackProducts {
    /** What products must share to be rows of one. */
    private record Kind(MatMul op, ValueId matrix, TensorType row, Role role, Optional<Region> region) {}

    /** What lies below each other, of either pass by itself: what the forward pass has made would have to be kept. */
    private record Rows(Role role, List<ValueId> parts) {}

    private final Graph graph;
    private final ValueMap<List<NodeId>> consumers;
    /** By the place of the last product in the graph. */
    private final Map<Integer, List<Node>> stacks = new LinkedHashMap<>();
    /** Of each node the place of what it is made with: its own, or that of its stack's last product. */
    private final int[] unit;

    private final boolean[] made;
    private final int[] waits;
    private final PriorityQueue<Integer> ready = new PriorityQueue<>();

    private StackProducts(Graph graph) {
        this.graph = graph;
        this.consumers = graph.consumers();
        int nodes = graph.nodes().size();
        this.unit = new int[nodes];
        this.made = new boolean[nodes];
        this.waits = new int[nodes];
    }

    public static Graph run(Graph graph) {
        return new StackProducts(graph).run();
    }

    private Graph run() {
        Map<Kind, List<Node>> kinds = new LinkedHashMap<>();
        for (Node node : graph.nodes()) {
            unit[node.id().index()] = node.id().index();
            if (isOfFewRows(node)) {
                kinds.computeIfAbsent(kind(node), _ -> new ArrayList<>()).add(node);
            }
        }
        for (List<Node> products : kinds.values()) {
            if (products.size() > 1) {
                independent(products).forEach(this::stack);
            }
        }
        return stacks.isEmpty() ? graph : rewritten();
    }

    private boolean isOfFewRows(Node node) {
        return node.op() instanceof MatMul op
                && !op.transposeA()
                && graph.type(node.results().getFirst()).rank() == 2
                && rows(node) <= FEW
                && graph.value(node.results().getFirst()).pin().isEmpty()
                && graph.value(node.results().getFirst()).retained().isEmpty();
    }

    private Kind kind(Node product) {
        TensorType left = graph.type(product.operands().getFirst());
        return new Kind(
                (MatMul) product.op(),
                product.operands().get(1),
                left.with(left.shape().with(0, Dim.ONE)),
                product.role(),
                product.origin().region());
    }

    private long rows(Node product) {
        return graph.type(product.operands().getFirst()).dim(0).value();
    }

    /** Those together that as many of the others come before, so that none needs another. */
    private Collection<List<Node>> independent(List<Node> products) {
        int[] before = new int[graph.nodes().size()];
        boolean[] counts = new boolean[before.length];
        products.forEach(product -> counts[product.id().index()] = true);
        Map<Integer, List<Node>> levels = new LinkedHashMap<>();
        for (Node node : graph.nodes().subList(products.getFirst().id().index(), before.length)) {
            int most = 0;
            for (ValueId operand : node.operands()) {
                most = Math.max(
                        most,
                        graph.value(operand)
                                .producer()
                                .map(producer -> before[producer.index()])
                                .orElse(0));
            }
            if (counts[node.id().index()]) {
                levels.computeIfAbsent(most, _ -> new ArrayList<>()).add(node);
                most++;
            }
            before[node.id().index()] = most;
        }
        return levels.values();
    }

    /** Cuts products that do not depend on each other into stacks, where {@link JoinProducts} would cut. */
    private void stack(List<Node> products) {
        int from = 0;
        long rows = 0;
        for (int i = 0; i < products.size(); i++) {
            if (rows + rows(products.get(i)) > ENOUGH) {
                enter(products.subList(from, i));
                from = i;
                rows = 0;
            }
            rows += rows(products.get(i));
        }
        enter(products.subList(from, products.size()));
    }

    private void enter(List<Node> stack) {
        if (stack.size() > 1) {
            int last = stack.getLast().id().index();
            stacks.put(last, stack);
            stack.forEach(product -> unit[product.id().index()] = last);
        }
    }

    private Graph rewritten() {
        GraphRewriter rewriter = new GraphRewriter(graph);
        rewriter.copyInputs();
        graph.nodes().forEach(node -> waits[unit[node.id().index()]] += missing(node));
        for (Node node : graph.nodes()) {
            int index = node.id().index();
            if (unit[index] == index && waits[index] == 0) {
                ready.add(index);
            }
        }
        Map<Rows, ValueId> sideBySide = new LinkedHashMap<>();
        for (int left = graph.nodes().size(); left > 0; ) {
            while (ready.isEmpty()) {
                dissolve();
            }
            int next = ready.remove();
            if (stacks.containsKey(next)) {
                List<Node> stack = stacks.remove(next);
                multiply(stack, rewriter, sideBySide);
                stack.forEach(this::finish);
                left -= stack.size();
            } else {
                Node node = graph.nodes().get(next);
                rewriter.copy(node);
                if (node.op().equals(new Concat(0))) {
                    ValueId rows = rewriter.map(node.results().getFirst());
                    sideBySide.put(new Rows(node.role(), rewriter.map(node.operands())), rows);
                }
                finish(node);
                left--;
            }
        }
        return rewriter.complete();
    }

    private int missing(Node node) {
        return (int) node.operands().stream()
                .distinct()
                .filter(operand -> graph.value(operand)
                        .producer()
                        .filter(producer -> !made[producer.index()])
                        .isPresent())
                .count();
    }

    private void finish(Node node) {
        made[node.id().index()] = true;
        for (ValueId result : node.results()) {
            for (NodeId reader : consumers.get(result)) {
                if (--waits[unit[reader.index()]] == 0) {
                    ready.add(unit[reader.index()]);
                }
            }
        }
    }

    /** Gives up the first stack of those that wait for each other. */
    private void dissolve() {
        int first = stacks.keySet().stream().min(Integer::compare).orElseThrow();
        for (Node product : stacks.remove(first)) {
            int index = product.id().index();
            unit[index] = index;
            waits[index] = missing(product);
            if (waits[index] == 0) {
                ready.add(index);
            }
        }
    }

    private static void multiply(List<Node> stack, GraphRewriter rewriter, Map<Rows, ValueId> sideBySide) {
        GraphBuilder builder = rewriter.target();
        Node any = stack.getFirst();
        builder.at(any.origin()).as(any.role());
        List<ValueId> parts = stack.stream()
                .map(product -> rewriter.map(product.operands().getFirst()))
                .toList();
        ValueId rows = sideBySide.computeIfAbsent(
                new Rows(any.role(), parts),
                all -> builder.emit(new Concat(0), all.parts).getFirst());
        ValueId matrix = rewriter.map(any.operands().get(1));
        ValueId all = builder.emit(any.op(), List.of(rows, matrix)).getFirst();
        Dim start = Dim.of(0);
        for (Node product : stack) {
            ValueId old = product.results().getFirst();
            TensorType type = rewriter.source().type(old);
            builder.at(product.origin());
            Slice slice = new Slice(List.of(start, Dim.of(0)), type.shape().dims());
            ValueId now = builder.emit(slice, List.of(all)).getFirst();
            builder.rename(now, rewriter.source().value(old).name());
            builder.carry(rewriter.source().value(old), now);
            rewriter.replace(old, now);
            start = start.plus(type.dim(0));
        }
    }
}
