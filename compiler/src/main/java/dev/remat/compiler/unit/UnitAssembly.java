package dev.remat.compiler.unit;

import dev.remat.ir.DType;
import dev.remat.ir.Graph;
import dev.remat.ir.Node;
import dev.remat.ir.NodeId;
import dev.remat.ir.Role;
import dev.remat.ir.Value;
import dev.remat.ir.ValueId;
import dev.remat.ir.ValueMap;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.ResetSeed;
import dev.remat.ir.op.StepSeed;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.View;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Derives what a unit reads and writes from the nodes in it. */
public final class UnitAssembly {
    private final Graph graph;
    private final ValueMap<Layout> layouts;

    public UnitAssembly(Graph graph, ValueMap<Layout> layouts) {
        this.graph = graph;
        this.layouts = layouts;
    }

    /** Whether a node costs nothing and owns no storage, so that it belongs to no unit. */
    public static boolean isFree(Node node) {
        return node.op() instanceof View
                || node.op() instanceof Constant
                || node.op() instanceof StepSeed
                || node.op() instanceof ResetSeed;
    }

    /**
     * @param nodes in order
     * @param inside whether a value stays inside the kernel, asked for results of all but the last node
     */
    public Unit assemble(List<NodeId> nodes, Predicate<ValueId> inside) {
        Set<ValueId> computed = new LinkedHashSet<>();
        Set<ValueId> reads = new LinkedHashSet<>();
        List<ValueId> writes = new ArrayList<>();
        List<ValueId> overwrites = new ArrayList<>();
        Role role = graph.node(nodes.getLast()).role();
        for (NodeId id : nodes) {
            Node node = graph.node(id);
            for (ValueId operand : node.operands()) {
                if (!computed.contains(operand) && isStored(operand)) {
                    reads.add(layouts.get(operand).base());
                }
            }
            computed.addAll(node.results());
            if (node.op() instanceof Update update) {
                update.writes()
                        .forEach(w -> overwrites.add(
                                layouts.get(node.operands().get(w.operand())).base()));
                continue;
            }
            for (ValueId result : node.results()) {
                boolean stays = !id.equals(nodes.getLast()) && inside.test(result);
                if (graph.type(result).dtype() != DType.SEED && !stays) {
                    writes.add(result);
                }
            }
        }
        return new Unit(form(nodes), nodes, role, List.copyOf(reads), writes, overwrites);
    }

    private Unit.Form form(List<NodeId> nodes) {
        boolean elementwise = nodes.stream().allMatch(id -> graph.node(id).op() instanceof Elementwise);
        if (elementwise) {
            return Unit.Form.ELEMENTWISE;
        }
        return graph.node(nodes.getLast()).op() instanceof Reduce ? Unit.Form.REDUCTION : Unit.Form.ANCHORED;
    }

    /** Whether the value has a buffer: seeds and constants have none. */
    private boolean isStored(ValueId value) {
        if (graph.type(value).dtype() == DType.SEED) {
            return false;
        }
        Value base = graph.value(layouts.get(value).base());
        return base.producer()
                .map(id -> !(graph.node(id).op() instanceof Constant))
                .orElse(true);
    }
}
