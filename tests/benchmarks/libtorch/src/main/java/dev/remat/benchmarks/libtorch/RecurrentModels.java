package dev.remat.benchmarks.libtorch;

import static dev.remat.benchmarks.libtorch.Layers.crossEntropy;
import static dev.remat.benchmarks.libtorch.Twin.integers;

import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/** PyTorch's network of LSTM layers, for what a sample writes by cells and for what another writes as one network. */
final class RecurrentModels {
    private RecurrentModels() {}

    static SequencedMap<String, Tensor> frames(Sizes sizes) {
        long rows = sizes.of("B");
        long length = sizes.or("T", 64);
        return Twin.batch(
                List.of("frames", "targets"),
                torch.randn(rows, length, sizes.or("features", 50)),
                integers(sizes.or("classes", 5000), rows, length));
    }

    static Tensor cells(Layers layers, Sizes sizes, Map<String, Tensor> batch) {
        return loss(layers, sizes, batch, layer -> part -> "cell." + layer + "." + part);
    }

    static Tensor network(Layers layers, Sizes sizes, Map<String, Tensor> batch) {
        return loss(layers, sizes, batch, layer -> part -> "lstm." + part + "_l" + layer);
    }

    private static Tensor loss(
            Layers layers, Sizes sizes, Map<String, Tensor> batch, IntFunction<UnaryOperator<String>> name) {
        long width = sizes.or("width", 1024);
        long depth = sizes.or("depth", 4);
        Tensor frames = batch.get("frames");
        TensorVector flat = new TensorVector();
        for (int layer = 0; layer < depth; layer++) {
            TensorVector cell = layers.cell(name.apply(layer), layer == 0 ? frames.size(2) : width, width);
            for (Tensor weight : cell.get()) {
                flat.push_back(weight);
            }
        }
        Tensor states = Layers.lstm(frames, flat, depth, width);
        return crossEntropy(layers.linear("head", states, sizes.or("classes", 5000)), batch.get("targets"), 0);
    }
}
