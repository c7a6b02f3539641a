package dev.remat.compiler.training;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;
import java.util.List;

/**
 * Gives a graph that draws random numbers the step's number and the seed as inputs, where it has none yet, and where it
 * draws for the micro-batch that is run that one's number: for targets whose kernels read them from memory. No
 * operation names them, so they come last.
 *
 * <pre>
 * before: %0 = input "x"   %2, %3 = dropout(%0, %1)
 * after:  %0 = input "x"   %1 = input "step" kind=step   %2 = input "seed" kind=seed   %4, %5 = dropout(%0, %3)
 * </pre>
 */
public final class AddDrawInputs {
    private AddDrawInputs() {}

    public static Graph run(Graph graph) {
        List<InputKind> missing = wanted(graph).stream()
                .filter(kind -> graph.inputs().stream().noneMatch(input -> input.kind() == kind))
                .toList();
        if (missing.isEmpty()) {
            return graph;
        }
        GraphRewriter rewriter = new GraphRewriter(graph);
        rewriter.copyInputs();
        for (InputKind kind : missing) {
            rewriter.target().input(kind.label(), TensorType.scalar(DType.I64), kind, Initializer.ZEROS, Location.NONE);
        }
        graph.nodes().forEach(rewriter::copy);
        return rewriter.complete();
    }

    private static List<InputKind> wanted(Graph graph) {
        if (graph.nodes().stream().allMatch(node -> node.op().drawnOrdinal().isEmpty())) {
            return List.of();
        }
        return graph.nodes().stream()
                        .flatMap(node -> node.op().drawnRows().stream())
                        .allMatch(rows -> rows.piece().isPresent())
                ? List.of(InputKind.STEP, InputKind.SEED)
                : List.of(InputKind.STEP, InputKind.SEED, InputKind.MICRO_BATCH);
    }
}
