package dev.remat.compiler.remat;

import dev.remat.compiler.unit.Unit;
import dev.remat.compiler.unit.UnitGraph;
import dev.remat.ir.Graph;
import dev.remat.ir.Node;
import dev.remat.ir.NodeId;
import dev.remat.ir.ValueId;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.TargetModel;

/** Work, traffic and scratch memory of a unit. */
final class UnitCosts {
    private final Graph graph;
    private final TargetModel target;
    private final CostModel costs;

    UnitCosts(UnitGraph units, TargetModel target, CostModel costs) {
        this.graph = units.graph();
        this.target = target;
        this.costs = costs;
    }

    long flops(Unit unit) {
        long sum = 0;
        for (NodeId id : unit.nodes()) {
            Node node = graph.node(id);
            sum += node.op().flops(graph.types(node.operands()), graph.types(node.results()));
        }
        return sum;
    }

    long cost(Unit unit) {
        long bytes = 0;
        for (ValueId read : unit.reads()) {
            bytes += graph.type(read).bytes();
        }
        for (ValueId write : unit.writes()) {
            bytes += graph.type(write).bytes();
        }
        for (ValueId overwritten : unit.overwrites()) {
            bytes += graph.type(overwritten).bytes();
        }
        Node anchor = graph.node(unit.nodes().getFirst());
        return costs.cost(flops(unit), bytes, anchor.op(), graph.types(anchor.results()));
    }

    long workspace(Unit unit) {
        long largest = 0;
        for (NodeId id : unit.nodes()) {
            Node node = graph.node(id);
            long bytes = target.workspaceBytes(
                    node.op(), graph.types(node.operands()), graph.types(node.results()));
            largest = Math.max(largest, bytes);
        }
        return largest;
    }
}
