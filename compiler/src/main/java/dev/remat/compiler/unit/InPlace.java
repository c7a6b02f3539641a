package dev.remat.compiler.unit;

import dev.remat.ir.Graph;
import dev.remat.ir.NodeId;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.ValueMap;
import java.util.List;

/**
 * Which buffers a kernel may compute its result into while it reads them: those that an elementwise kernel reads only
 * element by element at the place that it writes.
 */
public final class InPlace {
    private final Graph graph;
    private final ValueMap<Layout> layouts;

    public InPlace(Graph graph, ValueMap<Layout> layouts) {
        this.graph = graph;
        this.layouts = layouts;
    }

    /** Buffers whose place {@code write} may take if nothing needs them after {@code unit}, in order of reading. */
    public List<ValueId> candidates(Unit unit, ValueId write) {
        if (unit.form() != Unit.Form.ELEMENTWISE) {
            return List.of();
        }
        TensorType type = graph.type(write);
        return unit.reads().stream()
                .filter(base -> graph.value(base).producer().isPresent())
                .filter(base -> graph.type(base).elements() == type.elements())
                .filter(base -> graph.type(base).dtype().bytes() == type.dtype().bytes())
                .filter(base -> readsInOrder(unit, base))
                .toList();
    }

    /** Whether every read of {@code base} walks the whole buffer in the order of the kernel's result. */
    private boolean readsInOrder(Unit unit, ValueId base) {
        for (NodeId id : unit.nodes()) {
            for (ValueId operand : graph.node(id).operands()) {
                boolean reads = layouts.find(operand)
                        .filter(layout -> layout.base().equals(base))
                        .isPresent();
                if (reads
                        && !(layouts.get(operand).isContiguous()
                                && layouts.get(operand).view().offset() == 0)) {
                    return false;
                }
            }
        }
        return true;
    }
}
