package dev.remat.compiler.training;

import dev.remat.ir.graph.Graph;
import java.util.Optional;

/**
 * Graphs of a step that is cut into micro-batches.
 *
 * @param counted what is known of the whole batch before; run for each micro-batch
 * @param body forward and backward of a micro-batch
 * @param updates what follows once
 */
public record RoundGraphs(Optional<Graph> counted, Graph body, Optional<Graph> updates) {}
