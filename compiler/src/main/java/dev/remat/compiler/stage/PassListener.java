package dev.remat.compiler.stage;

import dev.remat.ir.graph.Graph;

/** Follows a model through the passes of the compiler. */
public interface PassListener {
    PassListener NONE = (pass, graph) -> {};

    /**
     * Is told of the graph after each pass, in the order in which they run.
     *
     * @param pass as pass files name it, such as {@code remove-dead-nodes}
     */
    void ran(String pass, Graph graph);

    /** The graph, when it has been told. */
    default Graph after(String pass, Graph graph) {
        ran(pass, graph);
        return graph;
    }
}
