package dev.remat.compiler.onnx.read;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@code NodeProto}: one application of an operator.
 *
 * @param name empty if the file gives none
 * @param domain empty for that of ONNX itself
 * @param inputs names of values, empty where an optional one is left out
 * @param attributes by name
 * @param metadata what exporters tell of it
 */
public record OnnxNode(
        String name,
        String domain,
        String operator,
        List<String> inputs,
        List<String> outputs,
        Map<String, OnnxAttribute> attributes,
        Map<String, String> metadata) {
    static OnnxNode read(Wire in, NodeCount count) {
        count.add(in);
        String name = "";
        String domain = "";
        String operator = "";
        List<String> inputs = new ArrayList<>();
        List<String> outputs = new ArrayList<>();
        Map<String, OnnxAttribute> attributes = new LinkedHashMap<>();
        Map<String, String> metadata = new LinkedHashMap<>();
        while (in.next()) {
            switch (in.field()) {
                case 1 -> inputs.add(in.text());
                case 2 -> outputs.add(in.text());
                case 3 -> name = in.text();
                case 4 -> operator = in.text();
                case 5 -> {
                    OnnxAttribute attribute = OnnxAttribute.read(in.message(), count);
                    attributes.put(attribute.name(), attribute);
                }
                case 7 -> domain = in.text();
                case 9 -> OnnxModel.entry(in.message(), metadata);
                default -> in.skip();
            }
        }
        return new OnnxNode(
                name, domain.equals("ai.onnx") ? "" : domain, operator, inputs, outputs, attributes, metadata);
    }

    /** What messages call it. */
    public String title() {
        return "node '" + (name.isEmpty() ? outputs.isEmpty() ? "" : outputs.getFirst() : name) + "'";
    }
}
