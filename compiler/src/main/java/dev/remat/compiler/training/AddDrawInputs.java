package dev.remat.compiler.training;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;
import java.util.Arrays;

/**
 * Gives a graph that draws random numbers the step's number and the seed as inputs, where it has none yet: for targets
 * whose kernels read them from memory. No operation names them, so they come last.
 *
 * <pre>
 * before: %0 = input "x"   %2, %3 = dropout(%0, %1)
 * after:  %0 = input "x"   %1 = input "step" kind=step   %2 = input "seed" kind=seed   %4, %5 = dropout(%0, %3)
 * </pre>
 */
public final class AddDrawInputs {
    private AddDrawInputs() {}

    public static Graph run(Graph graph) {
        boolean draws =
                graph.nodes().stream().anyMatch(node -> node.op().drawnOrdinal().isPresent());
        InputKind[] missing = Arrays.stream(new InputKind[] {InputKind.STEP, InputKind.SEED})
                .filter(kind -> graph.inputs().stream().noneMatch(input -> input.kind() == kind))
                .toArray(InputKind[]::new);
        if (!draws || missing.length == 0) {
            return graph;
        }
        GraphRewriter rewriter = new GraphRewriter(graph);
        rewriter.copyInputs();
        for (InputKind kind : missing) {
            rewriter.target().input(kind.label(), TensorType.scalar(DType.I64), kind, Initializer.ZEROS, Location.NONE);
        }
        graph.nodes().forEach(rewriter::copy);
        rewriter.copyOutputs();
        return rewriter.build();
    }
}
