package dev.remat.compiler.simplify;

import dev.remat.compiler.stage.PassListener;
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
        return run(forward, pinsMatter, PassListener.NONE);
    }

    /**
     * The same, followed.
     *
     * @param passes is told of each pass
     */
    public static SimplifiedGraph run(Graph forward, boolean pinsMatter, PassListener passes) {
        for (Value value : forward.values()) {
            if (!value.type().shape().isStatic()) {
                throw new IllegalArgumentException(
                        "'" + value.name() + "' is " + value.type() + ": a symbol is not bound");
            }
        }
        Graph single = passes.after("eliminate-common-subexpressions", EliminateCommonSubexpressions.run(forward));
        Graph live = passes.after("remove-dead-nodes", RemoveDeadNodes.run(single));
        if (pinsMatter) {
            DeadPins.refuse(single, live);
        }
        return new SimplifiedGraph(live);
    }
}
