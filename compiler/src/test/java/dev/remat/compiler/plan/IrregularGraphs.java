package dev.remat.compiler.plan;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * Irregular graphs as {@code docs/planning.md} writes their recipe down: random layers of forward nodes with edges
 * between any two (in the manner of Gagrani et al., 2022, and Bartan et al., 2023). The same as those of
 * {@code tests/benchmarks/irregular_graphs.py}.
 */
public final class IrregularGraphs {
    private final SplittableRandom random;
    /** Of each node; the source alone is in layer 0. */
    private final int[] layer;
    /** Numbers of the first nodes of the layers, and of all nodes. */
    private final List<Integer> starts = new ArrayList<>(List.of(0));

    private IrregularGraphs(int nodes, long seed) {
        random = new SplittableRandom(seed);
        layer = new int[nodes];
    }

    /** So many nodes with six edges each, or as many as the graphs of that size in Bartan et al. (2023) have. */
    public static RematProblem of(int nodes, long seed) {
        return of(nodes, edgesOf(nodes), seed);
    }

    private static int edgesOf(int nodes) {
        return switch (nodes) {
            case 100 -> 236;
            case 250 -> 944;
            case 500 -> 2_461;
            case 1_000 -> 5_875;
            default -> 6 * nodes;
        };
    }

    /** So many nodes and edges, of which every node but the source has at least one. */
    public static RematProblem of(int nodes, int edges, long seed) {
        return new IrregularGraphs(nodes, seed).build(edges, "irregular-" + nodes + "-" + seed);
    }

    /**
     * So many nodes in 20 to 50 layers, from one source to one sink, with nine of ten edges from a layer to the next
     * and as many in all as of {@link #of(int, long)}.
     */
    public static RematProblem narrow(int nodes, long seed) {
        return new IrregularGraphs(nodes, seed).buildNarrow(edgesOf(nodes), "narrow-" + nodes + "-" + seed);
    }

    private int below(int end) {
        return (int) Math.unsignedMultiplyHigh(random.nextLong(), end);
    }

    private RematProblem build(int edges, String name) {
        drawLayers();
        List<SortedSet<Integer>> reads = noReads();
        for (int node = 1; node < layer.length; node++) {
            int source = below(layer[node]);
            reads.get(node).add(starts.get(source) + below(starts.get(source + 1) - starts.get(source)));
        }
        for (int made = layer.length - 1; made < edges; ) {
            int one = below(layer.length);
            int other = below(layer.length);
            int source = Math.min(one, other);
            int reader = Math.max(one, other);
            if (layer[source] < layer[reader] && reads.get(reader).add(source)) {
                made++;
            }
        }
        return problem(name, reads, () -> 1 + below(100), () -> 256L * (1 + below(100)));
    }

    private RematProblem buildNarrow(int edges, String name) {
        int depth = 20 + below(31);
        int[] sizes = new int[depth - 1];
        sizes[depth - 2] = 1;
        for (int i = 2; i < layer.length; i++) {
            sizes[below(depth - 2)]++;
        }
        number(sizes);
        List<SortedSet<Integer>> reads = noReads();
        boolean[] read = new boolean[layer.length];
        int made = 0;
        for (int node = 1; node < layer.length; node++) {
            int source = drawn(layer[node] - 1, size(layer[node] - 1));
            reads.get(node).add(source);
            read[source] = true;
            made++;
        }
        for (int node = 0; node < layer.length - 1; node++) {
            if (!read[node]) {
                made += reads.get(drawn(layer[node] + 1, size(layer[node] + 1))).add(node) ? 1 : 0;
            }
        }
        while (made < edges) {
            int source = below(layer.length - 1);
            int to = layer[source] + (below(10) < 9 ? 1 : 2 + below(39));
            if (to < starts.size() - 1) {
                made += reads.get(drawn(to, 1 + below(size(to)))).add(source) ? 1 : 0;
            }
        }
        return problem(name, reads, () -> 1 + below(1000), () -> 10 + below(7991));
    }

    private int size(int of) {
        return starts.get(of + 1) - starts.get(of);
    }

    /** One of the first nodes of a layer. */
    private int drawn(int of, int first) {
        return starts.get(of) + below(first);
    }

    private List<SortedSet<Integer>> noReads() {
        List<SortedSet<Integer>> reads = new ArrayList<>();
        for (int node = 0; node < layer.length; node++) {
            reads.add(new TreeSet<>());
        }
        return reads;
    }

    private static RematProblem problem(
            String name, List<SortedSet<Integer>> reads, LongSupplier cost, LongSupplier bytes) {
        List<ProblemNode> nodes = new ArrayList<>();
        Set<Integer> unread = new TreeSet<>();
        for (int node = 0; node < reads.size(); node++) {
            nodes.add(ProblemNode.of("n" + node, Role.FORWARD)
                    .withCost(cost.getAsLong())
                    .withResult(ProblemValue.of("n" + node, bytes.getAsLong()))
                    .withInputs(
                            reads.get(node).stream().mapToInt(Integer::intValue).toArray()));
            unread.add(node);
            unread.removeAll(reads.get(node));
        }
        return RematProblem.of(name, nodes, List.copyOf(unread));
    }

    private void drawLayers() {
        int[] sizes = new int[Math.max(3, (int) Math.rint(Math.sqrt(layer.length))) - 1];
        for (int i = 1; i < layer.length; i++) {
            sizes[below(sizes.length)]++;
        }
        number(sizes);
    }

    /** Numbers the nodes of layers behind the source. */
    private void number(int[] sizes) {
        starts.add(1);
        for (int size : sizes) {
            if (size > 0) {
                int start = starts.getLast();
                Arrays.fill(layer, start, start + size, starts.size() - 1);
                starts.add(start + size);
            }
        }
    }
}
