package dev.remat.compiler.view;

import dev.remat.compiler.report.ArenaTimeline.Occupancy;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Value;
import java.util.Locale;

/** What bytes of the arena are for. */
public enum Kind {
    PARAMETER,
    OPTIMIZER,
    /** State that no optimizer owns: running statistics, and those that micro-batches add up. */
    STATISTICS,
    /** The batch, and the numbers of step and micro-batch. */
    BATCH,
    /** Gradients of parameters, complete or still adding up, and other sums over micro-batches. */
    GRADIENT,
    /** What the forward pass keeps for the rest of the step. */
    RETAINED,
    /** What is computed again. */
    RECOMPUTED,
    /** What has come back from below the arena, parameters and states aside. */
    FETCHED,
    /** Everything else: what the forward needs for a while, and gradients of activations. */
    ACTIVATION,
    WORKSPACE;

    /** As printed: {@code parameter}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Kind of(Occupancy occupancy, Graph graph) {
        return switch (occupancy.purpose()) {
            case PARAMETER -> PARAMETER;
            case OPTIMIZER -> OPTIMIZER;
            case STATE -> STATISTICS;
            case DATA -> BATCH;
            case GRADIENT -> GRADIENT;
            case WORKSPACE -> WORKSPACE;
            case ACTIVATION -> activation(graph, graph.value(occupancy.value().orElseThrow()));
        };
    }

    private static Kind activation(Graph graph, Value value) {
        if (!graph.stored(value).equals(value)) {
            return FETCHED;
        }
        if (value.retained().isPresent()) {
            return RETAINED;
        }
        return value.producer().map(graph::node).filter(Node::isClone).isPresent() ? RECOMPUTED : ACTIVATION;
    }
}
