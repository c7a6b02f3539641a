package dev.remat.compiler;

import dev.remat.compiler.plan.Floor;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.ir.Graph;
import dev.remat.ir.Node;

/**
 * What no plan of a step can do without, whatever it recomputes.
 *
 * @param setBy the tensor whose computation needs so much, with the model line of it
 */
public record StepFloor(long bytes, String setBy) {
    static StepFloor of(PlanningProblem planning) {
        Floor floor = Floor.of(planning.problem());
        if (floor.node() < 0) {
            return new StepFloor(floor.bytes(), "what the step is given and leaves behind");
        }
        Graph graph = planning.units().graph();
        Node root = graph.node(planning.unit(floor.node()).root());
        String tensor = graph.value(root.results().getFirst()).name();
        return new StepFloor(
                floor.bytes(), "computing " + tensor + " at " + root.origin().location());
    }
}
