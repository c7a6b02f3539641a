package dev.remat.compiler.onnx.read;

import java.util.ArrayList;
import java.util.List;

/**
 * A {@code FunctionProto}: an operator that the file itself defines.
 *
 * @param defaults attributes with the values that they have where a node gives none
 */
public record OnnxFunction(
        String domain,
        String name,
        List<String> inputs,
        List<String> outputs,
        List<OnnxAttribute> defaults,
        List<OnnxNode> nodes) {
    static OnnxFunction read(Wire in, NodeCount count) {
        String domain = "";
        String name = "";
        List<String> inputs = new ArrayList<>();
        List<String> outputs = new ArrayList<>();
        List<OnnxAttribute> defaults = new ArrayList<>();
        List<OnnxNode> nodes = new ArrayList<>();
        while (in.next()) {
            switch (in.field()) {
                case 1 -> name = in.text();
                case 4 -> inputs.add(in.text());
                case 5 -> outputs.add(in.text());
                case 7 -> nodes.add(OnnxNode.read(in.message(), count));
                case 10 -> domain = in.text();
                case 11 -> defaults.add(OnnxAttribute.read(in.message(), count));
                default -> in.skip();
            }
        }
        return new OnnxFunction(domain, name, inputs, outputs, defaults, nodes);
    }
}
