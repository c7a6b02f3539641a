package dev.remat.compiler.training;

import dev.remat.ir.Initializer;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Node;
import dev.remat.ir.op.StopGradient;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes every stopped tensor a state of its own, which stays as it is while parameters move: what gradients that stop
 * there are the gradients of. What the state has to be is an output called after it.
 *
 * <pre>
 * before: %1 = exp(%w)  %2 = stop_gradient(%1)  %3 = mul(%w, %2)
 * after:  input %stopped state   %1 = exp(%w)  %3 = mul(%w, %stopped)   output "stopped.now" %1
 * </pre>
 */
public final class HoldStopped {
    private static final String NOW = ".now";

    private HoldStopped() {}

    public static boolean isNeeded(Graph forward) {
        return forward.nodes().stream().anyMatch(node -> node.op() instanceof StopGradient);
    }

    /** The output that says what a state has to be. */
    private static String outputOf(String state) {
        return state + NOW;
    }

    public static Graph run(Graph forward) {
        GraphRewriter rewriter = new GraphRewriter(forward);
        rewriter.copyInputs();
        Map<Node, ValueId> states = new LinkedHashMap<>();
        for (Node node : forward.nodes()) {
            if (node.op() instanceof StopGradient) {
                ValueId state = rewriter.target()
                        .input(
                                "stopped",
                                forward.type(node.results().getFirst()),
                                InputKind.STATE,
                                Initializer.ZEROS,
                                Location.NONE);
                states.put(node, state);
            }
        }
        for (Node node : forward.nodes()) {
            if (states.containsKey(node)) {
                rewriter.replace(node.results().getFirst(), states.get(node));
            } else {
                rewriter.copy(node);
            }
        }
        rewriter.copyOutputs();
        states.forEach((node, state) -> rewriter.target()
                .output(
                        outputOf(rewriter.target().value(state).name()),
                        rewriter.map(node.operands().getFirst())));
        return rewriter.build();
    }
}
