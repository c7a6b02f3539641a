package dev.remat.compiler;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.evaluate.Floor;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.search.MemoryFloor;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;

/**
 * A step compiled up to the question of what to recompute.
 *
 * @param model with the seed that the options gave it
 * @param stages charged for whatever is done with the step
 */
public record PreparedStep(
        ElaboratedModel model, CompileOptions options, PlanningProblem planning, StageRunner stages) {
    /** With the model line of the tensor whose computation needs so much. */
    public MemoryFloor floor() {
        Floor floor = Floor.of(planning.problem());
        if (floor.node() < 0) {
            return new MemoryFloor(floor.bytes(), "what the step is given and leaves behind");
        }
        Graph graph = planning.fused().graph();
        Node root = graph.node(planning.group(floor.node()).root());
        String tensor = graph.value(root.results().getFirst()).name();
        return new MemoryFloor(
                floor.bytes(), "computing " + tensor + " at " + root.origin().location());
    }
}
