package dev.remat.compiler.training;

import dev.remat.ir.graph.Graph;

/**
 * All nodes of a step in one order: forward, and by its purpose backward and update nodes. No pure node is computed
 * twice, and none is dead.
 */
public record StepGraph(Graph graph) {}
