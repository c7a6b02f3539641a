package dev.remat.compiler.plan;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Random graphs that are made of single nodes by putting one behind the other, each end before each beginning, or side
 * by side; with workspaces, residents, outputs, views, and results that may work in place.
 */
public final class SeriesParallelGraphs {
    private final SplittableRandom random;
    /** Whether what several nodes read is one value, or one for each. */
    private final boolean shared;

    private final List<List<Integer>> needed = new ArrayList<>();

    private SeriesParallelGraphs(long seed, boolean shared) {
        random = new SplittableRandom(seed);
        this.shared = shared;
    }

    /** Beginnings and ends. */
    private record Part(List<Integer> first, List<Integer> last) {}

    /**
     * So many nodes, numbered in a random order in which they can run.
     *
     * @param shared whether a node has one result, however many read it, or one for each reader
     */
    public static RematProblem of(int nodes, boolean shared, long seed) {
        SeriesParallelGraphs graph = new SeriesParallelGraphs(seed, shared);
        graph.part(nodes);
        return graph.problem(graph.topological(new Random(seed)));
    }

    /** The same, across which two nodes of the four a, b, c, d wait for a third: c for a and b, d for b alone. */
    public static RematProblem withoutOrder(long seed) {
        SeriesParallelGraphs graph = new SeriesParallelGraphs(seed, false);
        IntStream.range(0, 4).forEach(n -> graph.needed.add(new ArrayList<>()));
        graph.needed.get(2).addAll(List.of(0, 1));
        graph.needed.get(3).add(1);
        return graph.problem(List.of(0, 1, 2, 3));
    }

    private Part part(int nodes) {
        if (nodes == 1) {
            needed.add(new ArrayList<>());
            List<Integer> node = List.of(needed.size() - 1);
            return new Part(node, node);
        }
        int some = 1 + random.nextInt(nodes - 1);
        Part one = part(some);
        Part other = part(nodes - some);
        if (random.nextInt(5) < 3) {
            other.first.forEach(n -> needed.get(n).addAll(one.last));
            return new Part(one.first, other.last);
        }
        List<Integer> first = new ArrayList<>(one.first);
        first.addAll(other.first);
        List<Integer> last = new ArrayList<>(one.last);
        last.addAll(other.last);
        return new Part(first, last);
    }

    private List<Integer> topological(Random chance) {
        List<Integer> rest =
                new ArrayList<>(IntStream.range(0, needed.size()).boxed().toList());
        Collections.shuffle(rest, chance);
        List<Integer> order = new ArrayList<>();
        while (!rest.isEmpty()) {
            Integer next = rest.stream()
                    .filter(n -> order.containsAll(needed.get(n)))
                    .findFirst()
                    .orElseThrow();
            rest.removeIf(next::equals);
            order.add(next);
        }
        return order;
    }

    private RematProblem problem(List<Integer> order) {
        List<ProblemNode> nodes = new ArrayList<>(List.of(ProblemNode.resident("data", 3)));
        List<Integer> outputs = new ArrayList<>();
        int values = 1;
        /* Per node: the values that its readers take in turn. */
        List<List<Integer>> made = new ArrayList<>();
        needed.forEach(n -> made.add(new ArrayList<>()));
        for (int n : order) {
            int[] inputs = IntStream.concat(
                            random.nextInt(3) == 0 ? IntStream.of(0) : IntStream.empty(),
                            needed.get(n).stream()
                                    .mapToInt(other -> made.get(other)
                                            .get(shared ? 0 : made.get(other).size() - 1)))
                    .toArray();
            needed.get(n).stream()
                    .filter(other -> !shared)
                    .forEach(other -> made.get(other).removeLast());
            ProblemNode node = ProblemNode.of("n" + n, Role.FORWARD)
                    .withCost(1)
                    .withInputs(inputs)
                    .withWorkspace(random.nextInt(4) == 0 ? random.nextInt(8) : 0);
            long reads = needed.stream().filter(of -> of.contains(n)).count();
            long results = shared ? 1 : Math.max(1, reads);
            for (int k = 0; k < results; k++) {
                node = node.withResult(result("v" + n + "." + k, inputs));
                made.get(n).add(values);
                if (random.nextInt(8) == 0) {
                    outputs.add(values);
                }
                values++;
            }
            nodes.add(node);
        }
        return RematProblem.of("series-parallel", nodes, outputs);
    }

    private ProblemValue result(String id, int[] inputs) {
        int bytes = 1 + random.nextInt(9);
        return switch (inputs.length == 0 ? 9 : random.nextInt(10)) {
            case 0 -> shared ? ProblemValue.view(id, inputs[0]) : ProblemValue.of(id, bytes);
            case 1, 2 -> ProblemValue.inPlace(id, bytes, inputs[inputs.length - 1]);
            default -> ProblemValue.of(id, bytes);
        };
    }
}
