package dev.remat.compiler.report;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.report.MemoryUse.Purpose;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.op.Accumulate;
import java.util.Arrays;

/** Tells what each buffer of a graph is for: by the kind of an input, and by the marks of what lies in it. */
final class Purposes {
    private final KernelGraph kernels;
    private final Graph graph;
    private final Purpose[] purposes;

    private Purposes(KernelGraph kernels) {
        this.kernels = kernels;
        this.graph = kernels.graph();
        this.purposes = new Purpose[graph.values().size()];
    }

    static Purposes of(KernelGraph kernels) {
        Purposes purposes = new Purposes(kernels);
        purposes.decide();
        return purposes;
    }

    /** What is fetched is for the same as what was stored. */
    Purpose of(ValueId buffer) {
        return purposes[base(graph.stored(graph.value(buffer)).id())];
    }

    private void decide() {
        Arrays.fill(purposes, Purpose.ACTIVATION);
        for (GraphInput input : graph.inputs()) {
            boolean trains = graph.value(input.value()).mark().filter(Mark.OPTIMIZER::equals).isPresent();
            boolean statistic = graph.value(input.value()).mark().filter(Mark.STATISTIC::equals).isPresent();
            purposes[input.value().index()] = switch (input.kind()) {
                case DATA, STEP, SEED, MICRO_BATCH -> Purpose.DATA;
                case PARAMETER -> Purpose.PARAMETER;
                case STATE -> trains ? Purpose.OPTIMIZER : Purpose.STATE;
                case ACCUMULATOR -> statistic ? Purpose.STATE : Purpose.GRADIENT;
            };
        }
        graph.values().stream()
                .filter(value -> value.mark().filter(Mark.GRADIENT::equals).isPresent())
                .forEach(value -> gradient(value.id()));
        graph.nodes().stream()
                .filter(node -> node.op() instanceof Accumulate)
                .forEach(node -> gradient(node.operands().get(1)));
    }

    private void gradient(ValueId value) {
        kernels.layouts()
                .find(value)
                .map(layout -> layout.base().index())
                .filter(base -> purposes[base] == Purpose.ACTIVATION)
                .ifPresent(base -> purposes[base] = Purpose.GRADIENT);
    }

    private int base(ValueId value) {
        return kernels.layouts().get(value).base().index();
    }
}
