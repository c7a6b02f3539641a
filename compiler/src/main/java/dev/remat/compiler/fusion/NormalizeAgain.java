package dev.remat.compiler.fusion;

import dev.remat.ir.Shape;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.ValueMap;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Unary;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lets the gradient of what follows a normalization be part of the normalization's gradient, where the target can, and
 * take what the forward pass made of the normalized operand from that operand, which is read there anyway. So the sign
 * that a ReLU's gradient asks for costs no pass and no reading.
 *
 * <pre>
 * before: %n = normalize(%x, …)   %y = relu(%n)   …   %p = gt(%y, %zero)   %d = where(%p, %dy, %zero)   …
 *         %dx, … = normalize_grad(%d, %x, …)
 * after:  %n = normalize(%x, …)   %y = relu(%n)   …   %m = normalize(%x, …)   %r = relu(%m)   %p = gt(%r, %zero)
 *         %d = where(%p, %dy, %zero)   %dx, … = normalize_grad(%d, %x, …)
 * </pre>
 *
 * <p>The same operations on the same numbers give the same bits. It happens only where one operand and no more is left
 * to be read besides those of the normalization's gradient, since that reads its operands twice.
 */
public final class NormalizeAgain {
    private final Graph graph;
    private final TargetModel target;
    private final ValueMap<List<NodeId>> consumers;
    private final GraphRewriter rewriter;
    private final GraphBuilder builder;
    /** What leads to a gradient, where it is taken from the normalized operand. */
    private final Map<NodeId, Prologue> prologues = new LinkedHashMap<>();
    /** Nodes that wait for the gradient that they lead to. */
    private final boolean[] waits;

    private NormalizeAgain(Graph graph, TargetModel target) {
        this.graph = graph;
        this.target = target;
        this.consumers = graph.consumers();
        this.rewriter = new GraphRewriter(graph);
        this.builder = rewriter.target();
        this.waits = new boolean[graph.nodes().size()];
    }

    public static Graph run(Graph graph, TargetModel target) {
        return new NormalizeAgain(graph, target).run();
    }

    private Graph run() {
        for (Node node : graph.nodes()) {
            if (node.op() instanceof NormalizeGradient
                    && target.fusesPrologue(node.op(), graph.types(node.operands()))) {
                Prologue prologue = Prologue.of(graph, consumers, node);
                if (saves(prologue)) {
                    prologues.put(node.id(), prologue);
                    prologue.nodes().forEach(each -> waits[each.id().index()] = true);
                }
            }
        }
        if (prologues.isEmpty()) {
            return graph;
        }
        return rewriter.rewrite(node -> {
            if (prologues.containsKey(node.id())) {
                copyAgain(prologues.get(node.id()));
            }
            if (!waits[node.id().index()]) {
                rewriter.copy(node);
            }
        });
    }

    /** Whether something need not be read any more, and one operand is all that has to be. */
    private boolean saves(Prologue prologue) {
        List<ValueId> read = prologue.read(graph, shape(prologue));
        long again = read.stream().filter(leaf -> follows(leaf, prologue)).count();
        return again > 0 && read.size() - again <= 1;
    }

    private Shape shape(Prologue prologue) {
        return graph.type(prologue.reader().operands().getFirst()).shape();
    }

    /** Whether a value follows cheaply from what the gradient reads, and from what is small. */
    private boolean follows(ValueId value, Prologue prologue) {
        return cheap(value)
                .filter(node -> node.operands().stream()
                        .allMatch(operand -> prologue.reader().operands().contains(operand)
                                || !graph.type(operand).shape().equals(shape(prologue))
                                || follows(operand, prologue)))
                .isPresent();
    }

    private Optional<Node> cheap(ValueId value) {
        return graph.value(value).producer().map(graph::node).filter(node -> isCheap(node.op()));
    }

    private static boolean isCheap(Op op) {
        return op instanceof Normalize
                || op instanceof LeakyRelu
                || op instanceof Clamp
                || op instanceof Unary unary && unary.kind() == Unary.Kind.RELU;
    }

    /** Copies what leads to a gradient, behind what it reads, made again. */
    private void copyAgain(Prologue prologue) {
        List<ValueId> leaves = prologue.read(graph, shape(prologue)).stream()
                .filter(leaf -> follows(leaf, prologue))
                .toList();
        List<ValueId> before = rewriter.map(leaves);
        Map<ValueId, ValueId> made = new LinkedHashMap<>();
        List<ValueId> again =
                leaves.stream().map(leaf -> again(leaf, prologue, made)).toList();
        for (int i = 0; i < leaves.size(); i++) {
            rewriter.replace(leaves.get(i), again.get(i));
        }
        prologue.nodes().forEach(rewriter::copy);
        for (int i = 0; i < leaves.size(); i++) {
            rewriter.replace(leaves.get(i), before.get(i));
        }
    }

    private ValueId again(ValueId value, Prologue prologue, Map<ValueId, ValueId> made) {
        if (!follows(value, prologue)) {
            return rewriter.map(value);
        }
        if (!made.containsKey(value)) {
            Node node = cheap(value).orElseThrow();
            List<ValueId> operands = new ArrayList<>();
            node.operands().forEach(operand -> operands.add(again(operand, prologue, made)));
            Node reader = prologue.reader();
            ValueId copy = builder.at(reader.origin())
                    .as(reader.role())
                    .append(
                            node.op(),
                            operands,
                            graph.types(node.results()),
                            List.of(graph.value(value).name() + ".again"),
                            Optional.empty())
                    .getFirst();
            made.put(value, copy);
        }
        return made.get(value);
    }
}
