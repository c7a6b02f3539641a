package dev.remat.compiler.simplify;

import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Value;

/** What can be left out of a forward graph before anything is derived from it. */
public final class SimplifyForward {
    private SimplifyForward() {}

    /**
     * @param pinsMatter whether pins are obeyed, so that one on a dead node is a mistake
     * @throws IllegalArgumentException if a symbol is left
     * @throws dev.remat.ir.diagnostic.ModelException if a pin is on what the loss does not depend on
     */
    public static SimplifiedGraph run(Graph forward, boolean pinsMatter) {
        for (Value value : forward.values()) {
            if (!value.type().shape().isStatic()) {
                throw new IllegalArgumentException(
                        "'" + value.name() + "' is " + value.type() + ": a symbol is not bound");
            }
        }
        Graph single = EliminateCommonSubexpressions.run(forward);
        Graph live = RemoveDeadNodes.run(single);
        if (pinsMatter) {
            DeadPins.refuse(single, live);
        }
        return new SimplifiedGraph(live);
    }
}
