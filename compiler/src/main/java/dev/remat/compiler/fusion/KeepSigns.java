package dev.remat.compiler.fusion;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Select;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps a bit for each element of which the backward pass wants to know whether it is positive, so that it need not
 * read the elements. The kernel that makes them stores the bits as well, since it takes its readers along.
 *
 * <pre>
 * before: %r = relu(%sum)   …   %p = gt(%r, %zero)   %d = where(%p, %dr, %zero)
 * after:  %r = relu(%sum)   %s = gt(%r, %zero)   %r.signs bit[8, 6, 4, 32] = cast{dtype=bit}(%s)   …
 *         %p = cast{dtype=bool}(%r.signs)   %d = where(%p, %dr, %zero)
 * </pre>
 *
 * <p>It is for 16-bit floats that an elementwise kernel makes: products and reductions store no bits. Bits are values
 * like others, kept or computed again as a plan has it.
 */
public final class KeepSigns {
    private final Graph graph;
    private final TargetModel target;
    private final ValueMap<List<NodeId>> consumers;
    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    /** Comparisons of one value with zero, by the node that makes the value. */
    private final Map<NodeId, List<Node>> signs = new LinkedHashMap<>();

    private KeepSigns(Graph graph, TargetModel target) {
        this.graph = graph;
        this.target = target;
        this.consumers = graph.consumers();
        this.rewriter = new GraphRewriter(graph);
        this.builder = rewriter.target();
    }

    public static Graph run(Graph graph, TargetModel target) {
        return target.keepsBits() ? new KeepSigns(graph, target).run() : graph;
    }

    private Graph run() {
        for (Node node : graph.nodes()) {
            if (asksForSigns(node)) {
                NodeId maker =
                        graph.value(node.operands().getFirst()).producer().orElseThrow();
                signs.computeIfAbsent(maker, key -> new ArrayList<>()).add(node);
            }
        }
        if (signs.isEmpty()) {
            return graph;
        }
        Map<NodeId, ValueId> bits = new LinkedHashMap<>();
        return rewriter.rewrite(node -> {
            if (bits.containsKey(node.id())) {
                builder.at(node.origin()).as(node.role());
                rewriter.replace(node.results().getFirst(), builder.apply(new Cast(DType.BOOL), bits.get(node.id())));
                return;
            }
            rewriter.copy(node);
            if (signs.containsKey(node.id())) {
                ValueId kept = keep(node.results().getFirst());
                signs.get(node.id()).forEach(each -> bits.put(each.id(), kept));
            }
        });
    }

    private ValueId keep(ValueId value) {
        ValueId made = rewriter.map(value);
        ValueId positive = builder.apply(new Compare(Compare.Kind.GT), made, builder.filled(0, builder.type(made)));
        ValueId kept = builder.apply(new Cast(DType.BIT), positive);
        builder.rename(kept, graph.value(value).name() + ".signs");
        return kept;
    }

    /** Whether a node of the backward pass compares with zero what an elementwise kernel of the forward pass makes. */
    private boolean asksForSigns(Node node) {
        if (node.role() != Role.BACKWARD
                || !(node.op() instanceof Compare compare)
                || compare.kind() != Compare.Kind.GT
                || !isZero(node.operands().get(1))
                || !masks(node.results().getFirst())) {
            return false;
        }
        ValueId value = node.operands().getFirst();
        return fillsBytes(graph.type(value))
                && graph.value(value)
                        .producer()
                        .map(graph::node)
                        .filter(maker ->
                                maker.role() == Role.FORWARD && maker.results().size() == 1)
                        .filter(maker -> maker.op() instanceof Elementwise && !(maker.op() instanceof Literal))
                        .filter(this::runsAlone)
                        .isPresent()
                && readers(value).stream().noneMatch(reader -> reader.op() instanceof Reduce);
    }

    private static boolean fillsBytes(TensorType type) {
        return type.dtype().isFloat()
                && type.dtype().bytes() == 2
                && type.rank() > 0
                && type.dim(type.rank() - 1).value() % Byte.SIZE == 0;
    }

    private boolean masks(ValueId condition) {
        return readers(condition).size() == 1
                && readers(condition).getFirst().op() instanceof Select
                && graph.value(condition).pin().isEmpty()
                && graph.outputs().stream().noneMatch(output -> output.value().equals(condition));
    }

    private boolean isZero(ValueId value) {
        return graph.value(value)
                .producer()
                .filter(node -> graph.node(node).op() instanceof Constant constant && constant.value() == 0)
                .isPresent();
    }

    private List<Node> readers(ValueId value) {
        return consumers.get(value).stream().map(graph::node).toList();
    }

    /** Whether no product comes before an elementwise node in one kernel. */
    private boolean runsAlone(Node node) {
        return node.operands().stream()
                .filter(operand -> consumers.get(operand).size() == 1)
                .flatMap(operand -> graph.value(operand).producer().stream())
                .map(graph::node)
                .allMatch(maker -> maker.op() instanceof Elementwise ? runsAlone(maker) : !mayLead(maker));
    }

    private boolean mayLead(Node maker) {
        return maker.results().size() == 1 && target.fusesEpilogue(maker.op());
    }
}
