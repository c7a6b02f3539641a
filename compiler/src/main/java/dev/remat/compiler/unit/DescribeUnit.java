package dev.remat.compiler.unit;

import dev.remat.ir.DType;
import dev.remat.ir.Graph;
import dev.remat.ir.Node;
import dev.remat.ir.NodeId;
import dev.remat.ir.ValueId;
import dev.remat.ir.ValueMap;
import dev.remat.ir.op.Constant;
import dev.remat.ir.target.KernelSignature;
import dev.remat.ir.target.KernelSignature.Earlier;
import dev.remat.ir.target.KernelSignature.Literal;
import dev.remat.ir.target.KernelSignature.Memory;
import dev.remat.ir.target.KernelSignature.Operation;
import dev.remat.ir.target.KernelSignature.Result;
import dev.remat.ir.target.KernelSignature.Seed;
import dev.remat.ir.target.KernelSignature.Source;
import dev.remat.ir.target.KernelWork;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** States what a unit does, for cost models: the same for the unit that is planned and for the kernel that runs it. */
public final class DescribeUnit {
    private final Graph graph;
    private final ValueMap<Layout> layouts;
    private final Unit unit;
    private final Set<ValueId> stored;
    private final Map<ValueId, Integer> buffers = new LinkedHashMap<>();
    private final Map<ValueId, Earlier> computed = new LinkedHashMap<>();

    private DescribeUnit(Graph graph, ValueMap<Layout> layouts, Unit unit) {
        this.graph = graph;
        this.layouts = layouts;
        this.unit = unit;
        this.stored = new LinkedHashSet<>(unit.writes());
    }

    /** @param layouts of the values of {@code graph} */
    public static KernelWork run(Graph graph, ValueMap<Layout> layouts, Unit unit) {
        return new DescribeUnit(graph, layouts, unit).run();
    }

    private KernelWork run() {
        List<Operation> operations = new ArrayList<>();
        long flops = 0;
        for (NodeId id : unit.nodes()) {
            Node node = graph.node(id);
            flops = Math.addExact(flops, node.op().flops(graph.types(node.operands()), graph.types(node.results())));
            List<Source> operands = node.operands().stream().map(this::source).toList();
            List<Result> results = node.results().stream()
                    .map(result -> new Result(graph.type(result), stored.contains(result)))
                    .toList();
            for (int r = 0; r < node.results().size(); r++) {
                computed.put(node.results().get(r), new Earlier(operations.size(), r));
            }
            operations.add(new Operation(node.op(), operands, results));
        }
        long bytes = bytes(unit.reads()) + bytes(unit.writes()) + bytes(unit.overwrites());
        return new KernelWork(new KernelSignature(operations), flops, bytes);
    }

    private Source source(ValueId operand) {
        if (graph.type(operand).dtype() == DType.SEED) {
            return new Seed();
        }
        Earlier earlier = computed.get(operand);
        if (earlier != null) {
            return earlier;
        }
        Layout layout = layouts.get(operand);
        boolean literal = graph.value(layout.base())
                .producer()
                .filter(producer -> graph.node(producer).op() instanceof Constant)
                .isPresent();
        if (literal) {
            return new Literal();
        }
        int buffer = buffers.computeIfAbsent(layout.base(), base -> buffers.size());
        return new Memory(
                buffer,
                graph.type(operand),
                layout.isContiguous() ? List.of() : layout.view().strides());
    }

    private long bytes(List<ValueId> buffers) {
        return buffers.stream().mapToLong(value -> graph.type(value).bytes()).sum();
    }
}
