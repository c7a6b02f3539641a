package dev.remat.compiler.account;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.Accumulate;
import java.util.Arrays;
import java.util.Optional;

/** Tells what each buffer of a graph is for: by the kind of an input, and by the marks of what lies in it. */
final class Kinds {
    private final KernelGraph kernels;
    private final Graph graph;
    /** By the value that a buffer is of. */
    private final Kind[] kinds;

    private Kinds(KernelGraph kernels) {
        this.kernels = kernels;
        this.graph = kernels.graph();
        this.kinds = new Kind[graph.values().size()];
    }

    static Kinds of(KernelGraph kernels) {
        Kinds kinds = new Kinds(kernels);
        kinds.decide();
        return kinds;
    }

    /** What is fetched is for the same as what was stored, parameters, states and gradients being told apart. */
    Kind of(ValueId buffer) {
        Value value = graph.value(buffer);
        Value stored = graph.stored(value);
        Kind kind = kinds[kernels.layouts().get(stored.id()).base().index()];
        if (kind != Kind.ACTIVATION) {
            return kind;
        }
        if (!stored.equals(value)) {
            return Kind.FETCHED;
        }
        if (value.retained().isPresent()) {
            return Kind.RETAINED;
        }
        return value.producer().map(graph::node).filter(Node::isClone).isPresent() ? Kind.RECOMPUTED : kind;
    }

    private void decide() {
        Arrays.fill(kinds, Kind.ACTIVATION);
        for (GraphInput input : graph.inputs()) {
            Optional<Mark> mark = graph.value(input.value()).mark();
            kinds[input.value().index()] = switch (input.kind()) {
                case DATA, STEP, SEED, MICRO_BATCH -> Kind.BATCH;
                case PARAMETER -> Kind.PARAMETER;
                case STATE -> mark.filter(Mark.OPTIMIZER::equals).isPresent() ? Kind.OPTIMIZER : Kind.STATISTICS;
                case ACCUMULATOR -> mark.filter(Mark.STATISTIC::equals).isPresent() ? Kind.STATISTICS : Kind.GRADIENT;
            };
        }
        graph.values().stream()
                .filter(value -> value.mark().filter(Mark.GRADIENT::equals).isPresent())
                .forEach(value -> addsUp(value.id()));
        graph.nodes().stream()
                .filter(node -> node.op() instanceof Accumulate)
                .forEach(node -> addsUp(node.operands().get(1)));
    }

    private void addsUp(ValueId value) {
        kernels.layouts()
                .find(value)
                .map(layout -> layout.base().index())
                .filter(base -> kinds[base] == Kind.ACTIVATION)
                .ifPresent(base -> kinds[base] = Kind.GRADIENT);
    }
}
