package dev.remat.compiler.plan;

import dev.remat.compiler.solve.ProblemWriter;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Random layered training steps, like the random layered graphs on which rematerialization is measured elsewhere
 * (Gagrani et al., 2022; Bartan et al., 2023), with a backward. The same for the same seed, in linear time.
 *
 * <p>The recipe. Layers of one to six forward nodes follow each other. A node reads one to three nodes of the layer in
 * front of it, and one node in ten reads a node farther back too: its distance in layers is log-uniform between 2 and
 * all there are, so that some skips cross the whole graph. What no node of the next layer reads is given to one of
 * them, the last layer to the loss. Costs and bytes are log-uniform over two orders of magnitude, independent of each
 * other; a node in five needs workspace of up to its own bytes. Each forward node has a backward node of its bytes and
 * one to two times its cost, in the opposite order; it reads the gradients of all readers, each input of the forward
 * node by a chance of three quarters and its result by a chance of one third.
 *
 * <p>With updates, a quarter of the forward nodes have a parameter of their own, which the backward reads too, making a
 * gradient of it as its second result; an update right after it overwrites the parameter.
 */
public final class LayeredGraphs {
    private static final int MAX_WIDTH = 6;
    private static final int MAX_READS = 3;

    private record Forward(
            String name, int value, long cost, long bytes, int parameter, long parameterBytes, List<Integer> reads) {}

    private final SplittableRandom random;
    private final boolean updates;
    private final List<ProblemNode> nodes = new ArrayList<>();
    private final List<Forward> forward = new ArrayList<>();
    /** Of each forward node, the forward nodes that read it. */
    private final List<List<Integer>> readers = new ArrayList<>();
    /** Index in {@link #forward} of the first node of each layer. */
    private final List<Integer> layers = new ArrayList<>();

    private int values;

    private LayeredGraphs(long seed, boolean updates) {
        random = new SplittableRandom(seed);
        this.updates = updates;
    }

    /** A step of exactly so many nodes, at least four, all of whose nodes but the data may be recomputed. */
    public static RematProblem of(long seed, int nodes) {
        return new LayeredGraphs(seed, false).build(nodes, "layered-" + nodes + "-" + seed);
    }

    /** A step of exactly so many nodes, parameters and their updates included. */
    public static RematProblem withUpdates(long seed, int nodes) {
        return new LayeredGraphs(seed, true).build(nodes, "layered-updates-" + nodes + "-" + seed);
    }

    /** Writes a problem: {@code NODES SEED FILE [updates]}. */
    public static void main(String... args) throws IOException {
        if (args.length < 3 || args.length > 4 || args.length == 4 && !args[3].equals("updates")) {
            throw new IllegalArgumentException("arguments: NODES SEED FILE [updates]");
        }
        int nodes = Integer.parseInt(args[0]);
        long seed = Long.parseLong(args[1]);
        RematProblem problem = args.length == 4 ? withUpdates(seed, nodes) : of(seed, nodes);
        Files.writeString(Path.of(args[2]), ProblemWriter.write(problem) + "\n");
    }

    private RematProblem build(int count, String name) {
        if (count < 4) {
            throw new IllegalArgumentException("a step has at least 4 nodes, not " + count);
        }
        List<Integer> lossReads = new ArrayList<>();
        int data = add(ProblemNode.resident("data", drawn(1000)));
        if (count % 2 == 1) {
            lossReads.add(add(ProblemNode.resident("targets", drawn(10))));
        }
        // The loss, then two nodes for each forward node, or four if it has a parameter.
        int left = count - nodes.size() - 1;
        while (left > 0) {
            left = addLayer(left, data);
        }
        for (int i = layers.getLast(); i < forward.size(); i++) {
            lossReads.add(forward.get(i).value);
        }
        int loss = add(ProblemNode.of("loss", Role.FORWARD)
                .withCost(10)
                .withInputs(indices(lossReads))
                .withResult(ProblemValue.of("loss", 10)));
        int[] gradient = new int[forward.size()];
        for (int i = forward.size() - 1; i >= 0; i--) {
            gradient[i] = addBackward(i, gradient, loss);
        }
        return RematProblem.of(name, nodes, List.of(loss));
    }

    /** The number of nodes left after one more layer. */
    private int addLayer(int left, int data) {
        int layer = layers.size();
        int start = forward.size();
        int remaining = left;
        List<Forward> made = new ArrayList<>();
        for (int width = 1 + random.nextInt(MAX_WIDTH); width > 0 && remaining > 0; width--) {
            boolean parametrised = updates && remaining >= 4 && random.nextInt(4) == 0;
            remaining -= parametrised ? 4 : 2;
            String name = "f" + (start + made.size());
            long bytes = drawn(100);
            int parameter = parametrised ? add(ProblemNode.resident(name + ".weight", bytes)) : ProblemValue.NONE;
            made.add(new Forward(name, 0, drawn(10), drawn(1000), parameter, bytes, new ArrayList<>()));
        }
        List<List<Integer>> producers = new ArrayList<>();
        made.forEach(node -> producers.add(new ArrayList<>()));
        if (layer > 0) {
            connect(producers, layer, start);
        }
        layers.add(start);
        for (int i = 0; i < made.size(); i++) {
            Forward node = made.get(i);
            readers.add(new ArrayList<>());
            for (int producer : producers.get(i)) {
                node.reads.add(forward.get(producer).value);
                readers.get(producer).add(start + i);
            }
            if (layer == 0) {
                node.reads.add(data);
            }
            forward.add(new Forward(
                    node.name,
                    addForward(node),
                    node.cost,
                    node.bytes,
                    node.parameter,
                    node.parameterBytes,
                    node.reads));
        }
        return remaining;
    }

    /** Chooses what each node of a new layer reads, by index in {@link #forward}. */
    private void connect(List<List<Integer>> producers, int layer, int start) {
        int previous = layers.getLast();
        int width = start - previous;
        boolean[] read = new boolean[width];
        for (List<Integer> own : producers) {
            for (int k = 1 + random.nextInt(Math.min(MAX_READS, width)); k > 0; k--) {
                int choice = random.nextInt(width);
                addDistinct(own, previous + choice);
                read[choice] = true;
            }
            if (layer > 1 && random.nextInt(10) == 0) {
                // 2 · (layers / 2)^u for u in [0, 1): log-uniform.
                int back = (int) (2 * Math.pow(layer / 2.0, random.nextDouble()));
                int from = layers.get(layer - back);
                int to = layers.get(layer - back + 1);
                addDistinct(own, from + random.nextInt(to - from));
            }
        }
        for (int i = 0; i < width; i++) {
            if (!read[i]) {
                addDistinct(producers.get(random.nextInt(producers.size())), previous + i);
            }
        }
    }

    private int addForward(Forward made) {
        List<Integer> reads = new ArrayList<>(made.reads);
        if (made.parameter != ProblemValue.NONE) {
            reads.add(made.parameter);
        }
        return add(ProblemNode.of(made.name, Role.FORWARD)
                .withCost(made.cost)
                .withInputs(indices(reads))
                .withWorkspace(workspace(made.bytes))
                .withResult(ProblemValue.of(made.name, made.bytes)));
    }

    private int addBackward(int index, int[] gradient, int loss) {
        Forward own = forward.get(index);
        List<Integer> reads = new ArrayList<>();
        for (int reader : readers.get(index)) {
            reads.add(gradient[reader]);
        }
        if (reads.isEmpty()) {
            reads.add(loss);
        }
        for (int input : own.reads) {
            if (random.nextInt(4) > 0) {
                reads.add(input);
            }
        }
        if (random.nextInt(3) == 0) {
            reads.add(own.value);
        }
        if (own.parameter != ProblemValue.NONE) {
            reads.add(own.parameter);
        }
        String name = "b" + index;
        ProblemNode node = ProblemNode.of(name, Role.BACKWARD)
                .withCost(own.cost + random.nextLong(own.cost + 1))
                .withInputs(indices(reads))
                .withWorkspace(workspace(own.bytes));
        if (own.parameter == ProblemValue.NONE) {
            return add(node.withResult(ProblemValue.of(name, own.bytes)));
        }
        int value = add(node.withResult(ProblemValue.of(name, own.bytes))
                .withResult(ProblemValue.of(name + ".weight", own.parameterBytes)));
        add(ProblemNode.of("u" + index, Role.UPDATE)
                .withCost(own.cost)
                .withInputs(value + 1, own.parameter)
                .withWrites(own.parameter));
        return value;
    }

    /** Log-uniform between {@code least} and a hundred times that. */
    private long drawn(long least) {
        return Math.round(least * Math.pow(100, random.nextDouble()));
    }

    private long workspace(long bytes) {
        return random.nextInt(5) == 0 ? random.nextLong(bytes + 1) : 0;
    }

    private int add(ProblemNode node) {
        int first = values;
        nodes.add(node);
        values += node.results().size();
        return first;
    }

    private static void addDistinct(List<Integer> list, int item) {
        if (!list.contains(item)) {
            list.add(item);
        }
    }

    private static int[] indices(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }
}
