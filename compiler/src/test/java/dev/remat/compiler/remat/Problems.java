package dev.remat.compiler.remat;

import dev.remat.compiler.TestTarget;
import dev.remat.compiler.unit.FormUnits;
import dev.remat.compiler.unit.MaterializeViews;
import dev.remat.compiler.unit.UnitGraph;
import dev.remat.ir.Graph;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.target.UnitCost;
import java.util.List;
import java.util.stream.Stream;

/** Planning problems of graphs made by hand, and sequences by the names of what units make. */
final class Problems {
    private static final TestTarget TARGET = new TestTarget();

    private Problems() {}

    static UnitGraph units(Graph graph) {
        return FormUnits.run(MaterializeViews.run(graph, TARGET), TARGET);
    }

    static PlanningProblem of(Graph graph) {
        return BuildProblem.run(units(graph), TARGET, new UnitCost());
    }

    /** @param steps names of results of units, separated by blanks */
    static OperatorSequence sequence(PlanningProblem planning, String steps) {
        int[] nodes = Stream.of(steps.split(" "))
                .mapToInt(name -> node(planning, name))
                .toArray();
        return new OperatorSequence("hand", nodes, List.of());
    }

    static RematerializedGraph insert(Graph graph, String steps) {
        PlanningProblem planning = of(graph);
        return InsertRecompute.run(planning, sequence(planning, steps));
    }

    /** The node of the problem whose unit makes the value of that name. */
    static int node(PlanningProblem planning, String name) {
        Graph graph = planning.units().graph();
        for (int n = planning.residents(); n < planning.problem().nodeCount(); n++) {
            boolean makes = graph.node(planning.unit(n).root()).results().stream()
                    .anyMatch(id -> graph.value(id).name().equals(name));
            if (makes) {
                return n;
            }
        }
        throw new IllegalArgumentException("no unit makes " + name);
    }
}
