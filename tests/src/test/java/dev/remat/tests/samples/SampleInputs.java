package dev.remat.tests.samples;

import dev.remat.ir.TensorType;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.tests.reference.Tensor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.SequencedMap;
import java.util.function.DoubleSupplier;

/** Random values for what a graph finds in memory. */
final class SampleInputs {
    private SampleInputs() {}

    /** Names of the parameters, in order. */
    static List<String> names(Graph graph) {
        return graph.inputs().stream()
                .filter(input -> input.kind() == InputKind.PARAMETER)
                .map(input -> graph.value(input.value()).name())
                .toList();
    }

    /** Parameters near those of a network in training, Gaussian data, integers below 3. */
    static SequencedMap<String, Tensor> draw(Graph graph, long seed) {
        Random random = new Random(seed);
        SequencedMap<String, Tensor> inputs = new LinkedHashMap<>();
        for (GraphInput input : graph.inputs()) {
            inputs.put(graph.value(input.value()).name(), draw(input, graph.type(input.value()), random));
        }
        return inputs;
    }

    private static Tensor draw(GraphInput input, TensorType type, Random random) {
        if (!type.dtype().isFloat()) {
            return fill(type, () -> random.nextInt(3));
        }
        return switch (input.kind()) {
            case PARAMETER ->
                type.rank() == 1
                        ? fill(type, () -> 0.5 + 0.2 * random.nextGaussian())
                        : fill(type, () -> random.nextGaussian() / Math.sqrt(fanIn(type)));
            case DATA -> fill(type, random::nextGaussian);
            case STATE, STEP, SEED, MICRO_BATCH, ACCUMULATOR -> Tensor.filled(type, 1);
        };
    }

    private static double fanIn(TensorType type) {
        return (double) type.elements() / type.dim(0).value();
    }

    private static Tensor fill(TensorType type, DoubleSupplier source) {
        Tensor tensor = Tensor.zeros(type);
        Arrays.setAll(tensor.data(), i -> source.getAsDouble());
        return tensor;
    }
}
