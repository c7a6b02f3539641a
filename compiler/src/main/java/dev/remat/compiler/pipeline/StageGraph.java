package dev.remat.compiler.pipeline;

import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.ir.graph.Graph;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What one stage computes in a step.
 *
 * @param visits in which each value is made, by its name; of what belongs to all micro-batches, none
 */
public record StageGraph(Graph graph, SequencedMap<String, Visit> visits) {
    public StageGraph {
        visits = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(visits));
    }

    /** In which visit a node of the problem that was made of the graph runs first. */
    public static Optional<Visit> visit(PlanningProblem planning, Map<String, Visit> visits, int node) {
        if (node < planning.residents()) {
            return Optional.empty();
        }
        Graph fused = planning.fused().graph();
        return planning.group(node).nodes().stream()
                .flatMap(member -> fused.node(member).results().stream())
                .map(result -> visits.get(fused.value(result).name()))
                .filter(visit -> visit != null)
                .findFirst();
    }
}
