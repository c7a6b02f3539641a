package dev.remat.compiler.fusion;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Update;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Which buffers a kernel may compute a result into while it reads them: those that an elementwise kernel, or what leads
 * to a reduction, reads only element by element where it writes, and the sum that a product goes on with.
 */
public final class InPlace {
    private final Graph graph;

    public InPlace(Graph graph) {
        this.graph = graph;
    }

    /**
     * Buffers whose allocation {@code write} may take if nothing needs them after {@code group}, in order of reading.
     */
    public List<ValueId> candidates(FusionGroup group, ValueId write) {
        if (group.form() == KernelBody.Form.ANCHORED) {
            return goingOn(group, write);
        }
        if (!isElementwise(group, write)) {
            return List.of();
        }
        TensorType type = graph.type(write);
        return IntStream.range(0, group.reads().size())
                .filter(buffer -> suits(group.reads().get(buffer), type) && readsInOrder(group.body(), buffer))
                .mapToObj(group.reads()::get)
                .toList();
    }

    private List<ValueId> goingOn(FusionGroup group, ValueId write) {
        KernelBody.Write stored = group.body().writes().get(group.results().indexOf(write));
        return sumOf(group.body(), stored).stream()
                .map(read -> group.body().reads().get(read).buffer())
                .filter(buffer -> readsInOrder(group.body(), buffer))
                .map(group.reads()::get)
                .filter(base -> suits(base, graph.type(write)))
                .toList();
    }

    /** The read of a body that is the sum which {@code write} goes on with, and nothing else in it. */
    public static Optional<Integer> sumOf(KernelBody body, KernelBody.Write write) {
        Instruction made = body.instructions().get(write.instruction());
        OptionalInt taken = made.op().computesInPlaceOf(made.operands().size());
        return taken.isPresent() && made.operands().get(taken.getAsInt()) instanceof Operand.FromMemory(int read)
                ? Optional.of(read)
                        .filter(_ -> Collections.frequency(
                                        made.operands(), made.operands().get(taken.getAsInt()))
                                == 1)
                : Optional.empty();
    }

    private static boolean isElementwise(FusionGroup group, ValueId write) {
        KernelBody.Write stored = group.body().writes().get(group.results().indexOf(write));
        return group.body().instructions().get(stored.instruction()).op() instanceof Elementwise;
    }

    /** What inputs hold and what updates leave in their places is kept. */
    private boolean suits(ValueId base, TensorType type) {
        TensorType taken = graph.type(base);
        return graph.value(base)
                        .producer()
                        .filter(node -> !(graph.node(node).op() instanceof Update))
                        .isPresent()
                && taken.elements() == type.elements()
                && taken.bytes() == type.bytes();
    }

    /** Whether every read of the buffer walks the whole of it in the order of the kernel's result. */
    private static boolean readsInOrder(KernelBody body, int buffer) {
        return body.reads().stream()
                .filter(read -> read.buffer() == buffer)
                .allMatch(read -> read.view().isContiguous() && read.view().offset() == 0);
    }
}
