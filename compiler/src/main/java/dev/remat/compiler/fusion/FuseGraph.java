package dev.remat.compiler.fusion;

import dev.remat.compiler.stage.PassListener;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.target.TargetModel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/** A graph to the groups that each become a kernel, after rewrites that leave the target less to read and write. */
public final class FuseGraph {
    /**
     * A graph as another that computes the same.
     *
     * @param pass as pass files name it
     * @param after rewrites that have to come before it: it looks for what they make, or must not take it from them
     */
    record Rewrite(String pass, List<String> after, BiFunction<Graph, TargetModel, Graph> body) {}

    static final List<Rewrite> REWRITES = ordered(List.of(
            new Rewrite("channels-last", List.of(), ChannelsLast::run),
            new Rewrite("take-moments", List.of("channels-last"), TakeMoments::run),
            new Rewrite("sample-pixels", List.of("channels-last"), (graph, _) -> SamplePixels.run(graph)),
            new Rewrite("normalize-again", List.of(), NormalizeAgain::run),
            new Rewrite("keep-signs", List.of("sample-pixels", "normalize-again"), KeepSigns::run),
            new Rewrite("materialize-views", List.of("keep-signs"), MaterializeViews::run)));

    private FuseGraph() {}

    /** @param passes is told of the graph after each rewrite */
    public static FusedGraph run(Graph graph, TargetModel target, PassListener passes) {
        return run(REWRITES, graph, target, passes);
    }

    static FusedGraph run(List<Rewrite> rewrites, Graph graph, TargetModel target, PassListener passes) {
        return group(rewrite(rewrites, graph, target, passes), target, passes);
    }

    /** The rewrites alone: all that decides what operations there are. */
    public static Graph rewrite(Graph graph, TargetModel target, PassListener passes) {
        return rewrite(REWRITES, graph, target, passes);
    }

    private static Graph rewrite(List<Rewrite> rewrites, Graph graph, TargetModel target, PassListener passes) {
        Graph rewritten = graph;
        for (Rewrite rewrite : rewrites) {
            rewritten = passes.after(rewrite.pass(), rewrite.body().apply(rewritten, target));
        }
        return rewritten;
    }

    /** The groups of a graph that is rewritten. */
    public static FusedGraph group(Graph rewritten, TargetModel target, PassListener passes) {
        PlacedGraph placed = PlaceResults.run(rewritten, target);
        passes.ran("place-results", placed.graph());
        return FormFusionGroups.run(placed, target);
    }

    /** @throws IllegalArgumentException if one stands before another that it comes after */
    static List<Rewrite> ordered(List<Rewrite> rewrites) {
        Set<String> before = new LinkedHashSet<>();
        for (Rewrite rewrite : rewrites) {
            if (!before.containsAll(rewrite.after())) {
                throw new IllegalArgumentException("%s comes after %s, and before it are only %s"
                        .formatted(rewrite.pass(), rewrite.after(), before));
            }
            before.add(rewrite.pass());
        }
        return rewrites;
    }
}
