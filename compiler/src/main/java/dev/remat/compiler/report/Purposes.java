package dev.remat.compiler.report;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.report.MemoryUse.Purpose;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.AverageUpdate;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.OptimizerUpdate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.UpdateRows;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** Tells what each buffer of a graph is for: by the kind of an input, and by what its updates say. */
final class Purposes {
    private static final int GRADIENT_OPERAND = 1;

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
            purposes[input.value().index()] = switch (input.kind()) {
                case DATA, STEP, SEED, MICRO_BATCH -> Purpose.DATA;
                case PARAMETER -> Purpose.PARAMETER;
                case STATE -> Purpose.STATE;
                case ACCUMULATOR -> Purpose.GRADIENT;
            };
        }
        for (Node node : graph.nodes()) {
            if (node.op() instanceof Update update) {
                update(node, update);
            }
        }
        for (GraphOutput output : graph.outputs()) {
            if (output.name().startsWith("grad.")) {
                gradient(output.value());
            }
        }
    }

    private void update(Node node, Update update) {
        switch (update) {
            case OptimizerUpdate optimizer -> {
                gradient(node.operands().get(GRADIENT_OPERAND));
                training(node, optimizer);
            }
            case AverageUpdate average -> training(node, average);
            case Assign assign -> training(node, assign);
            case Accumulate _ -> gradient(node.operands().get(GRADIENT_OPERAND));
            case CombineStatistics statistics -> {
                for (Update.Write write : statistics.writes()) {
                    statistic(node.operands().get(write.operand()));
                }
            }
            case ConditionalUpdate conditional -> update(node, conditional.update());
            case UpdateRows rows -> update(node, rows.update());
            case RunningStatistics _ -> {
                for (ValueId ofBatch : node.operands().subList(2, 4)) {
                    statistic(ofBatch);
                }
            }
        }
    }

    /** What micro-batches have added up is a gradient, or a statistic of the whole batch. */
    private void statistic(ValueId value) {
        if (graph.value(value).producer().isEmpty()) {
            purposes[base(value)] = Purpose.STATE;
        }
    }

    private void training(Node node, Update update) {
        List<ValueId> operands = node.operands();
        for (Update.Write write : update.writes()) {
            int written = base(operands.get(write.operand()));
            if (purposes[written] == Purpose.STATE) {
                purposes[written] = Purpose.OPTIMIZER;
            }
        }
    }

    /** The gradient, and where several contributions add up to it, those and their sums so far. */
    private void gradient(ValueId gradient) {
        Deque<ValueId> parts = new ArrayDeque<>(List.of(gradient));
        while (!parts.isEmpty()) {
            ValueId part = parts.pop();
            if (purposes[base(part)] != Purpose.ACTIVATION) {
                continue;
            }
            purposes[base(part)] = Purpose.GRADIENT;
            graph.value(part)
                    .producer()
                    .map(graph::node)
                    .filter(Purposes::addsGradients)
                    .ifPresent(sum -> sum.operands().forEach(parts::push));
        }
    }

    private static boolean addsGradients(Node node) {
        return node.role() == Role.BACKWARD && node.op() instanceof Binary sum && sum.kind() == Binary.Kind.ADD;
    }

    private int base(ValueId value) {
        return kernels.layouts().get(value).base().index();
    }
}
