package dev.remat.compiler.simplify;

import dev.remat.ir.graph.Graph;

/**
 * A forward graph whose extents are numbers, in which no pure node is computed twice and the outputs need every one.
 */
public record SimplifiedGraph(Graph graph) {}
