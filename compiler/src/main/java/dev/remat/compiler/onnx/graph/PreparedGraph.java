package dev.remat.compiler.onnx.graph;

import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.compiler.onnx.read.ValueInfo;
import java.util.List;
import java.util.SequencedMap;

/**
 * A graph whose nodes stand behind what they read.
 *
 * @param initializers by name
 * @param inputs without those that have an initializer
 * @param outputs names of values
 */
public record PreparedGraph(
        List<OnnxNode> nodes,
        SequencedMap<String, OnnxTensor> initializers,
        List<ValueInfo> inputs,
        List<String> outputs) {
    /** The same with other nodes. */
    public PreparedGraph with(List<OnnxNode> others) {
        return new PreparedGraph(others, initializers, inputs, outputs);
    }
}
