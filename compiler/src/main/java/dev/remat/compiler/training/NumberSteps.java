package dev.remat.compiler.training;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;

/**
 * Gives a graph that draws random numbers the step's number as an input, where it has none yet: for targets whose
 * kernels read it from memory. No operation names it, so it comes last.
 *
 * <pre>
 * before: %0 = input "x"   %2, %3 = dropout(%0, %1)
 * after:  %0 = input "x"   %1 = input "step" kind=step   %3, %4 = dropout(%0, %2)
 * </pre>
 */
public final class NumberSteps {
    private NumberSteps() {}

    public static Graph run(Graph graph) {
        boolean draws =
                graph.nodes().stream().anyMatch(node -> node.op().drawnOrdinal().isPresent());
        if (!draws || graph.inputs().stream().anyMatch(input -> input.kind() == InputKind.STEP)) {
            return graph;
        }
        GraphRewriter rewriter = new GraphRewriter(graph);
        rewriter.copyInputs();
        rewriter.target().input("step", TensorType.scalar(DType.I64), InputKind.STEP, Initializer.ZEROS, Location.NONE);
        graph.nodes().forEach(rewriter::copy);
        rewriter.copyOutputs();
        return rewriter.build();
    }
}
