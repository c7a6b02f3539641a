package dev.remat.compiler.onnx.read;

import java.util.ArrayList;
import java.util.List;

/** A {@code GraphProto}: that of the model, or one in an attribute, which sees the values around it. */
public record OnnxGraphBody(
        String name,
        List<OnnxNode> nodes,
        List<OnnxTensor> initializers,
        List<ValueInfo> inputs,
        List<ValueInfo> outputs) {
    static OnnxGraphBody read(Wire in, NodeCount count) {
        String name = "";
        List<OnnxNode> nodes = new ArrayList<>();
        List<OnnxTensor> initializers = new ArrayList<>();
        List<ValueInfo> inputs = new ArrayList<>();
        List<ValueInfo> outputs = new ArrayList<>();
        while (in.next()) {
            switch (in.field()) {
                case 1 -> nodes.add(OnnxNode.read(in.message(), count));
                case 2 -> name = in.text();
                case 5 -> initializers.add(OnnxTensor.read(in.message()));
                case 11 -> inputs.add(ValueInfo.read(in.message()));
                case 12 -> outputs.add(ValueInfo.read(in.message()));
                case 15 -> throw in.damaged("initializers are sparse, which are not read");
                default -> in.skip();
            }
        }
        return new OnnxGraphBody(name, nodes, initializers, inputs, outputs);
    }
}
