package dev.remat.compiler.section;

import dev.remat.compiler.training.StepGraph;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.RowsOf;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.Update;
import dev.remat.ir.op.UpdateRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Lets optimizer state outlive steps in slices of rows, and the update of its parameter go slice by slice: each takes
 * the parameter as the one before has left it, and what read the updated parameter reads what the last one leaves. Rows
 * are updated as before, to the bit.
 *
 * <pre>
 * before: input %m f32[5, 4]
 *         %p', %m' = update(%p, %dp, %m, %rate)
 * after:  input %m[0:2] f32[2, 4]
 *         input %m[2:5] f32[3, 4]
 *         %p'[0:2], %m'[0:2] = update_rows{from=0, to=2}(%p, %dp, %m[0:2], %rate)
 *         %p'[2:5], %m'[2:5] = update_rows{from=2, to=5}(%p'[0:2], %dp, %m[2:5], %rate)
 * </pre>
 */
public final class SplitUpdates {
    private final GraphRewriter rewriter;
    private final SortedMap<String, Integer> counts;
    /** What has become of inputs that are cut. */
    private final Map<ValueId, List<ValueId>> slices = new LinkedHashMap<>();

    private SplitUpdates(Graph graph, SortedMap<String, Integer> counts) {
        this.rewriter = new GraphRewriter(graph);
        this.counts = counts;
    }

    /**
     * The sections with the same inputs cut in all.
     *
     * @param counts number of slices, by the name of a state
     */
    public static SectionGraphs run(SectionGraphs sections, SortedMap<String, Integer> counts) {
        return new SectionGraphs(
                sections.counted().map(section -> run(section, counts)),
                run(sections.body(), counts),
                sections.updates().map(section -> run(section, counts)),
                sections.microBatches());
    }

    private static StepGraph run(StepGraph step, SortedMap<String, Integer> counts) {
        return new StepGraph(run(step.graph(), counts));
    }

    /**
     * @param counts number of slices, by the name of a state: of all states of an update that {@link UpdateRows} takes,
     *     or of none
     */
    public static Graph run(Graph graph, SortedMap<String, Integer> counts) {
        return new SplitUpdates(graph, counts).run();
    }

    private Graph run() {
        Graph graph = rewriter.source();
        for (GraphInput input : graph.inputs()) {
            String name = graph.value(input.value()).name();
            if (counts.containsKey(name)) {
                slices.put(input.value(), cut(input, name, graph.type(input.value())));
            } else {
                rewriter.copyInput(input, graph.type(input.value()));
            }
        }
        for (Node node : graph.nodes()) {
            if (node.operands().stream().anyMatch(slices::containsKey)) {
                update(node);
            } else {
                rewriter.copy(node);
            }
        }
        return rewriter.complete();
    }

    private List<ValueId> cut(GraphInput input, String name, TensorType type) {
        long rows = type.dim(0).value();
        int count = counts.get(name);
        List<ValueId> cut = new ArrayList<>();
        for (int slice = 0; slice < count; slice++) {
            long from = first(rows, slice, count);
            long to = first(rows, slice + 1, count);
            List<Dim> dims = new ArrayList<>(type.shape().dims());
            dims.set(0, Dim.of(to - from));
            TensorType part = new TensorType(type.dtype(), new Shape(dims));
            cut.add(rewriter.target().input(input, name + span(from, to), part, new RowsOf(name, from)));
            rewriter.target().carry(rewriter.source().value(input.value()), cut.getLast());
        }
        return cut;
    }

    /** As equal as they can be. */
    private static long first(long rows, int slice, int count) {
        return rows * slice / count;
    }

    private static String span(long from, long to) {
        return "[" + from + ":" + to + "]";
    }

    private void update(Node node) {
        Graph graph = rewriter.source();
        GraphBuilder target = rewriter.target();
        ElementwiseUpdate whole = ElementwiseUpdate.in((Update) node.op()).orElseThrow();
        long rows = graph.type(node.operands().getFirst()).dim(0).value();
        int count = node.operands().stream()
                .filter(slices::containsKey)
                .mapToInt(state -> slices.get(state).size())
                .max()
                .orElseThrow();
        ValueId parameter = rewriter.map(node.operands().getFirst());
        for (int slice = 0; slice < count; slice++) {
            List<ValueId> operands = new ArrayList<>(List.of(parameter));
            for (ValueId operand : node.operands().subList(1, node.operands().size())) {
                operands.add(slices.containsKey(operand) ? slices.get(operand).get(slice) : rewriter.map(operand));
            }
            UpdateRows ofRows = new UpdateRows(whole, first(rows, slice, count), first(rows, slice + 1, count));
            Update op = node.op() instanceof ConditionalUpdate ? new ConditionalUpdate(ofRows) : ofRows;
            List<TensorType> types =
                    op.infer(operands.stream().map(target::type).toList());
            List<String> names = node.results().stream()
                    .map(result -> graph.value(result).name() + span(ofRows.from(), ofRows.to()))
                    .toList();
            target.at(node.origin()).as(node.role());
            parameter =
                    target.append(op, operands, types, names, Optional.empty()).getFirst();
        }
        rewriter.replace(node.results().getFirst(), parameter);
    }
}
