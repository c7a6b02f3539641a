package dev.remat.compiler.simplify;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Concat;
import dev.remat.ir.op.MatMul;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Sums of products over few rows as products over more. A weight that every step of a sequence uses gets such a sum as
 * its gradient, and would be read and written once a step; Appleyard, Kočiský and Blunsom (2016) take one product.
 *
 * <pre>
 * before: %p = matmul{transpose_a=true}(%a, %b)  %q = matmul{transpose_a=true}(%c, %d)  %s = add(%p, %q)
 * after:  %0 = concat{axis=0}(%a, %c)  %1 = concat{axis=0}(%b, %d)  %s = matmul{transpose_a=true}(%0, %1)
 * </pre>
 *
 * <p>Only products that the sum alone reads. As many are joined as are fast: what they multiply has to be in memory at
 * once. Bits follow from the graph alone, whatever is planned.
 */
public final class JoinProducts {
    /** Rows of a product that has too few. */
    static final long FEW = 128;
    /** Rows that a joined one has at most. */
    static final long ENOUGH = 512;

    /** One value as it is, or results of several products that become one. */
    private record Term(List<ValueId> parts) {
        boolean isJoined() {
            return parts.size() > 1;
        }
    }

    /** A tree of additions, and what of it has been added so far. */
    private static final class Sum {
        final Node root;
        final List<Term> terms;
        private int added;
        private Optional<ValueId> total = Optional.empty();

        Sum(Node root, List<Term> terms) {
            this.root = root;
            this.terms = terms;
        }
    }

    private record End(Sum sum, Term term) {}

    private final Graph graph;
    private final ValueMap<List<NodeId>> consumers;
    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    private final boolean[] output;
    private final boolean[] vanishes;
    private final Map<NodeId, Sum> sums = new LinkedHashMap<>();
    /** What can be joined once a node has been reached: behind the last product of a term. */
    private final Map<NodeId, End> ends = new LinkedHashMap<>();
    /** Joined products by the first of their parts, and operands laid side by side. */
    private final ValueMap<ValueId> products;

    private final Map<List<ValueId>, ValueId> rows = new LinkedHashMap<>();

    private JoinProducts(Graph graph) {
        this.graph = graph;
        this.consumers = graph.consumers();
        this.rewriter = new GraphRewriter(graph);
        this.builder = rewriter.target();
        this.output = new boolean[graph.values().size()];
        graph.outputs().forEach(o -> output[o.value().index()] = true);
        this.vanishes = new boolean[graph.nodes().size()];
        this.products = new ValueMap<>(graph.values().size());
    }

    public static Graph run(Graph graph) {
        return new JoinProducts(graph).run();
    }

    private Graph run() {
        for (Node node : graph.nodes()) {
            if (isSum(node) && !isInner(node)) {
                find(node);
            }
        }
        if (sums.isEmpty()) {
            return graph;
        }
        return rewriter.rewrite(node -> {
            if (sums.containsKey(node.id())) {
                end(sums.get(node.id()));
            } else if (!vanishes[node.id().index()]) {
                rewriter.copy(node);
            } else if (ends.containsKey(node.id())) {
                join(ends.get(node.id()), node);
            }
        });
    }

    private boolean isSum(Node node) {
        return node.op() instanceof Binary binary
                && binary.kind() == Binary.Kind.ADD
                && graph.type(node.results().getFirst()).rank() == 2;
    }

    /** Whether another addition alone takes the result of one. */
    private boolean isInner(Node sum) {
        ValueId value = sum.results().getFirst();
        if (!isReadOnceOnly(value)) {
            return false;
        }
        Node reader = graph.node(consumers.get(value).getFirst());
        return isSum(reader) && reader.role() == sum.role();
    }

    /** Whether one operand of one node alone is a value, and nothing else is asked of it. */
    private boolean isReadOnceOnly(ValueId value) {
        return consumers.get(value).size() == 1
                && graph.node(consumers.get(value).getFirst()).operands().stream()
                                .filter(value::equals)
                                .count()
                        == 1
                && !output[value.index()]
                && graph.value(value).pin().isEmpty();
    }

    private void find(Node root) {
        List<ValueId> leaves = new ArrayList<>();
        List<Node> inner = new ArrayList<>();
        Deque<ValueId> open = new ArrayDeque<>(root.operands());
        while (!open.isEmpty()) {
            ValueId value = open.removeFirst();
            Optional<Node> sum = graph.value(value)
                    .producer()
                    .map(graph::node)
                    .filter(node -> isSum(node) && isInner(node) && node.role() == root.role());
            sum.ifPresent(inner::add);
            sum.ifPresentOrElse(
                    node -> {
                        open.addFirst(node.operands().get(1));
                        open.addFirst(node.operands().get(0));
                    },
                    () -> leaves.add(value));
        }
        List<Term> terms = terms(leaves, root);
        if (terms.stream().noneMatch(Term::isJoined)) {
            return;
        }
        Sum found = new Sum(root, terms);
        sums.put(root.id(), found);
        inner.forEach(node -> vanishes[node.id().index()] = true);
        for (Term term : terms) {
            if (term.isJoined()) {
                List<NodeId> parts = term.parts.stream()
                        .map(part -> maker(part).id())
                        .sorted()
                        .toList();
                parts.forEach(part -> vanishes[part.index()] = true);
                ends.put(parts.getLast(), new End(found, term));
            }
        }
    }

    /** Leaves in their order, neighbours together that are products over few rows. */
    private List<Term> terms(List<ValueId> leaves, Node root) {
        List<Term> terms = new ArrayList<>();
        List<ValueId> run = new ArrayList<>();
        long rowsOfRun = 0;
        for (ValueId leaf : leaves) {
            Optional<Node> product = product(leaf, root);
            boolean joins = product.isPresent()
                    && rowsOfRun + rows(product.get()) <= ENOUGH
                    && (run.isEmpty() || alike(product.get(), maker(run.getFirst())));
            if (!joins && !run.isEmpty()) {
                terms.add(new Term(List.copyOf(run)));
                run.clear();
                rowsOfRun = 0;
            }
            if (product.isPresent()) {
                run.add(leaf);
                rowsOfRun += rows(product.get());
            } else {
                terms.add(new Term(List.of(leaf)));
            }
        }
        if (!run.isEmpty()) {
            terms.add(new Term(List.copyOf(run)));
        }
        return terms;
    }

    /** What makes a leaf, if a product over few rows that the sum alone reads. */
    private Optional<Node> product(ValueId leaf, Node root) {
        return graph.value(leaf)
                .producer()
                .map(graph::node)
                .filter(node -> node.op() instanceof MatMul op
                        && op.transposeA()
                        && !op.transposeB()
                        && node.role() == root.role()
                        && node.origin().region().equals(root.origin().region())
                        && isReadOnceOnly(leaf)
                        && graph.type(leaf).rank() == 2
                        && rows(node) <= FEW);
    }

    private Node maker(ValueId value) {
        return graph.node(graph.value(value).producer().orElseThrow());
    }

    private long rows(Node product) {
        return graph.type(product.operands().getFirst()).dim(0).value();
    }

    private boolean alike(Node one, Node other) {
        return one.op().equals(other.op()) && columns(one).equals(columns(other));
    }

    /** Of both operands, and their type. */
    private List<TensorType> columns(Node product) {
        return graph.types(product.operands()).stream()
                .map(type -> type.with(type.shape().with(0, Dim.ONE)))
                .toList();
    }

    /** Makes a product whose operands are all there by now, and adds what can be. */
    private void join(End end, Node last) {
        builder.at(last.origin()).as(last.role());
        List<Node> parts = end.term.parts.stream().map(this::maker).toList();
        List<ValueId> operands = List.of(joined(parts, 0), joined(parts, 1));
        products.put(
                end.term.parts.getFirst(),
                builder.emit(parts.getFirst().op(), operands).getFirst());
        add(end.sum);
    }

    private ValueId joined(List<Node> products, int operand) {
        List<ValueId> parts = products.stream()
                .map(product -> rewriter.map(product.operands().get(operand)))
                .toList();
        return rows.computeIfAbsent(
                parts, all -> builder.emit(new Concat(0), all).getFirst());
    }

    /** Adds the next terms as far as they are there. */
    private void add(Sum sum) {
        while (sum.added < sum.terms.size()) {
            Term term = sum.terms.get(sum.added);
            ValueId first = term.parts.getFirst();
            Optional<ValueId> value = term.isJoined()
                    ? products.find(first)
                    : Optional.of(first).filter(rewriter::isMapped).map(rewriter::map);
            if (value.isEmpty()) {
                return;
            }
            ValueId next = value.get();
            sum.total = Optional.of(sum.total
                    .map(total -> builder.emit(new Binary(Binary.Kind.ADD), List.of(total, next))
                            .getFirst())
                    .orElse(next));
            sum.added++;
        }
    }

    private void end(Sum sum) {
        builder.at(sum.root.origin()).as(sum.root.role());
        add(sum);
        ValueId now = sum.total.orElseThrow();
        ValueId old = sum.root.results().getFirst();
        builder.rename(now, graph.value(old).name());
        builder.carry(graph.value(old), now);
        rewriter.replace(old, now);
    }
}
