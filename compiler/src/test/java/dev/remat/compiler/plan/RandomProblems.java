package dev.remat.compiler.plan;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.Pin;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Small training steps with views, in-place and several results, workspaces, pins, statistics, updates and outputs. */
public final class RandomProblems {
    private final SplittableRandom random;
    private final List<ProblemNode> nodes = new ArrayList<>();
    private final List<Integer> parameters = new ArrayList<>();
    private final List<Integer> outputs = new ArrayList<>();
    private int values;

    private RandomProblems(long seed) {
        random = new SplittableRandom(seed);
    }

    /** A problem of about two nodes for each of {@code layers} layers. */
    public static RematProblem trainingStep(long seed, int layers) {
        return new RandomProblems(seed).build(layers);
    }

    private RematProblem build(int layers) {
        int data = add(ProblemNode.resident("data", 1 + random.nextInt(50)));
        List<Integer> forwardValues = new ArrayList<>(List.of(data));
        List<int[]> layersRead = new ArrayList<>();
        List<int[]> layersMade = new ArrayList<>();
        for (int i = 0; i < layers; i++) {
            if (random.nextInt(3) == 0) {
                parameters.add(add(ProblemNode.resident("w" + i, 1 + random.nextInt(20))));
            }
            int[] reads = pickInputs(forwardValues);
            int first = add(forward(i, reads));
            int[] made = new int[values - first];
            for (int k = 0; k < made.length; k++) {
                made[k] = first + k;
                forwardValues.add(first + k);
            }
            layersRead.add(reads);
            layersMade.add(made);
            if (random.nextInt(8) == 0) {
                int statistics = add(ProblemNode.resident("s" + i, 3));
                add(ProblemNode.of("track" + i, Role.UPDATE)
                        .withCost(1)
                        .withInputs(made[0], statistics)
                        .withResult(ProblemValue.view("tracked" + i, statistics))
                        .withWrites(statistics));
            }
        }
        int gradient = -1;
        for (int i = layers - 1; i >= 0; i--) {
            gradient = backward(i, gradient, layersRead.get(i), layersMade.get(i));
        }
        outputs.add(gradient);
        if (random.nextInt(3) == 0) {
            outputs.add(forwardValues.get(random.nextInt(forwardValues.size())));
        }
        return RematProblem.of("random", nodes, outputs);
    }

    private int[] pickInputs(List<Integer> from) {
        int[] reads = new int[1 + random.nextInt(3)];
        for (int k = 0; k < reads.length; k++) {
            boolean parameter = k > 0 && !parameters.isEmpty() && random.nextBoolean();
            int reach = random.nextInt(4) == 0 ? from.size() : Math.min(from.size(), 3);
            int near = from.size() - 1 - random.nextInt(reach);
            reads[k] = parameter ? parameters.get(random.nextInt(parameters.size())) : from.get(near);
        }
        return reads;
    }

    private ProblemNode forward(int i, int[] reads) {
        ProblemNode node = ProblemNode.of("f" + i, Role.FORWARD)
                .withCost(1 + random.nextInt(9))
                .withInputs(reads);
        if (random.nextInt(4) == 0) {
            node = node.withWorkspace(random.nextInt(30));
        }
        int results = 1 + random.nextInt(8) / 7;
        for (int k = 0; k < results; k++) {
            String id = "f" + i + "." + k;
            // Few sizes, so that results often fit where an input lay.
            long bytes = 10L * (1 + random.nextInt(3));
            node = node.withResult(
                    switch (random.nextInt(6)) {
                        case 0 -> ProblemValue.view(id, reads[0]);
                        case 1 -> ProblemValue.inPlace(id, bytes, reads[random.nextInt(reads.length)]);
                        default -> ProblemValue.of(id, bytes);
                    });
        }
        return switch (random.nextInt(12)) {
            case 0 -> node.withPin(Pin.RETAIN);
            case 1, 2 -> node.withPin(Pin.RECOMPUTE);
            case 3 -> node.once();
            default -> node;
        };
    }

    private int backward(int i, int gradient, int[] reads, int[] made) {
        List<Integer> inputs = new ArrayList<>();
        if (gradient >= 0) {
            inputs.add(gradient);
        }
        for (int v : reads) {
            if (random.nextInt(3) > 0) {
                inputs.add(v);
            }
        }
        if (random.nextBoolean()) {
            inputs.add(made[made.length - 1]);
        }
        int[] all = inputs.stream().mapToInt(Integer::intValue).toArray();
        ProblemNode node = ProblemNode.of("b" + i, Role.BACKWARD)
                .withCost(1 + random.nextInt(9))
                .withInputs(all);
        boolean inPlace = gradient >= 0 && random.nextInt(3) == 0;
        node = node.withResult(inPlace ? ProblemValue.inPlace("b" + i, 10, gradient) : ProblemValue.of("b" + i, 10));
        int result = add(node);
        for (int v : reads) {
            boolean mayUpdate = parameters.contains(v) && !readLater(v, i);
            if (mayUpdate) {
                parameters.remove(Integer.valueOf(v));
                add(ProblemNode.of("u" + i + "." + v, Role.UPDATE)
                        .withCost(1)
                        .withInputs(result, v)
                        .withResult(ProblemValue.view("new" + v, v))
                        .withWrites(v));
            }
        }
        return result;
    }

    /** Whether a backward still to come may read the parameter: a forward before layer {@code i} does. */
    private boolean readLater(int parameter, int i) {
        for (ProblemNode node : nodes) {
            boolean earlier = node.role() == Role.FORWARD
                    && !node.id().equals("f" + i)
                    && node.inputs().contains(parameter);
            if (earlier && Integer.parseInt(node.id().substring(1)) < i) {
                return true;
            }
        }
        return false;
    }

    private int add(ProblemNode node) {
        int first = values;
        nodes.add(node);
        values += node.results().size();
        return first;
    }
}
