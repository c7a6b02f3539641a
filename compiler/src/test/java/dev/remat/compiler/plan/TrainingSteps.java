package dev.remat.compiler.plan;

import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.ProblemNode;
import dev.remat.ir.plan.ProblemValue;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Training steps of convolutional networks as planners see them: groups with bytes of f32 tensors, and flops. */
public final class TrainingSteps {
    private final List<ProblemNode> nodes = new ArrayList<>();
    private final Deque<Runnable> tape = new ArrayDeque<>();
    private final Map<Integer, Integer> gradients = new LinkedHashMap<>();
    private final Map<Integer, Long> bytes = new LinkedHashMap<>();
    private int values;
    private int counter;

    /** Bottleneck ResNet on 224 × 224 images with the given number of blocks in each of its four stages. */
    public static RematProblem resnet(int batch, int... blocks) {
        TrainingSteps net = new TrainingSteps();
        int x = net.resident(4L * batch * 3 * 224 * 224);
        x = net.convolution(x, batch, 3, 64, 7, 112, 112);
        x = net.relu(net.normalize(x));
        x = net.unit(4L * batch * 64 * 56 * 56, 0, x);
        int channels = 64;
        for (int stage = 0; stage < 4; stage++) {
            int width = 64 << stage;
            int side = 56 >> stage;
            for (int i = 0; i < blocks[stage]; i++) {
                int shortcut = x;
                if (i == 0) {
                    shortcut = net.normalize(net.convolution(x, batch, channels, 4 * width, 1, side, side));
                }
                int y = net.relu(net.normalize(net.convolution(x, batch, channels, width, 1, side, side)));
                y = net.relu(net.normalize(net.convolution(y, batch, width, width, 3, side, side)));
                y = net.normalize(net.convolution(y, batch, width, 4 * width, 1, side, side));
                x = net.relu(net.unit(4L * batch * 4 * width * side * side, 0, y, shortcut));
                channels = 4 * width;
            }
        }
        return net.finish("resnet", x);
    }

    /** U-Net with long skips: two convolutions a level, {@code depth} levels down and up again. */
    public static RematProblem unet(int batch, int depth, int side) {
        TrainingSteps net = new TrainingSteps();
        int x = net.resident(4L * batch * 3 * side * side);
        int channels = 3;
        List<Integer> skips = new ArrayList<>();
        int width = 32;
        for (int level = 0; level < depth; level++) {
            x = net.relu(net.convolution(x, batch, channels, width, 3, side >> level, side >> level));
            x = net.relu(net.convolution(x, batch, width, width, 3, side >> level, side >> level));
            skips.add(x);
            x = net.unit(batch * (long) width * (side >> level) * (side >> level), 0, x);
            channels = width;
            width *= 2;
        }
        for (int level = depth - 1; level >= 0; level--) {
            width /= 2;
            int area = (side >> level) * (side >> level);
            x = net.unit(4L * batch * width * area, 0, x);
            x = net.unit(8L * batch * width * area, 0, x, skips.get(level));
            x = net.relu(net.convolution(x, batch, 2 * width, width, 3, side >> level, side >> level));
        }
        return net.finish("unet", x);
    }

    /** A chain of equal layers, each of which the backward needs. */
    public static RematProblem chain(int length, long size) {
        TrainingSteps net = new TrainingSteps();
        int x = net.resident(size);
        for (int i = 0; i < length; i++) {
            x = net.unit(size, 1, x);
        }
        return net.finish("chain", x);
    }

    private RematProblem finish(String name, int x) {
        int loss = add("loss", Role.FORWARD, 0, 4, x);
        int gradient = add("seed", Role.BACKWARD, 0, bytes.get(x), loss, x);
        gradients.put(x, gradient);
        while (!tape.isEmpty()) {
            tape.pop().run();
        }
        return RematProblem.of(name, nodes, List.of(loss));
    }

    private int resident(long size) {
        nodes.add(ProblemNode.resident("resident" + counter++, size));
        bytes.put(values, size);
        return values++;
    }

    private int add(String id, Role role, long cost, long size, int... inputs) {
        String name = id + counter++;
        nodes.add(ProblemNode.of(name, role).withCost(cost).withInputs(inputs).withResult(ProblemValue.of(name, size)));
        bytes.put(values, size);
        return values++;
    }

    private void contribute(int value, String id, long cost, int... inputs) {
        int gradient = add(id, Role.BACKWARD, cost, bytes.get(value), inputs);
        if (gradients.containsKey(value)) {
            gradient = add("sum", Role.BACKWARD, 0, bytes.get(value), gradients.get(value), gradient);
        }
        gradients.put(value, gradient);
    }

    /** A group whose gradient needs all its inputs. */
    private int unit(long size, long cost, int... inputs) {
        int y = add("unit", Role.FORWARD, cost, size, inputs);
        tape.push(() -> {
            for (int x : inputs) {
                if (!nodes.get(x).resident()) {
                    contribute(x, "dunit", cost, gradients.get(y), x);
                }
            }
            gradients.remove(y);
        });
        return y;
    }

    private int convolution(int x, int batch, int in, int out, int kernel, int height, int width) {
        int w = resident(4L * in * out * kernel * kernel);
        long flops = 2L * batch * in * out * kernel * kernel * height * width;
        int y = add("conv", Role.FORWARD, flops, 4L * batch * out * height * width, x, w);
        tape.push(() -> {
            int dy = gradients.remove(y);
            int dw = add("dweight", Role.BACKWARD, flops, bytes.get(w), dy, x);
            if (bytes.get(x) > 0 && x > 0) {
                contribute(x, "ddata", flops, dy, w);
            }
            nodes.add(ProblemNode.of("update" + counter++, Role.UPDATE)
                    .withInputs(dw, w)
                    .withWrites(w));
        });
        return y;
    }

    private int normalize(int x) {
        int stats = add("stats", Role.FORWARD, 0, 1024, x);
        int y = add("normalize", Role.FORWARD, 0, bytes.get(x), x, stats);
        tape.push(() -> contribute(x, "dnormalize", 0, gradients.remove(y), x, stats));
        return y;
    }

    private int relu(int x) {
        String name = "relu" + counter++;
        nodes.add(ProblemNode.of(name, Role.FORWARD)
                .withInputs(x)
                .withResult(ProblemValue.inPlace(name, bytes.get(x), x)));
        bytes.put(values, bytes.get(x));
        int y = values++;
        tape.push(() -> contribute(x, "drelu", 0, gradients.remove(y), y));
        return y;
    }
}
