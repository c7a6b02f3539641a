package dev.remat.compiler.onnx.read;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A {@code ModelProto}.
 *
 * @param producer who wrote it, with the version
 * @param opsets versions of operators by domain, that of ONNX itself as ""
 */
public record OnnxModel(String producer, Map<String, Long> opsets, List<OnnxFunction> functions, OnnxGraphBody graph) {
    /**
     * Reads a whole file.
     *
     * @throws DamagedOnnxException if it is not one
     */
    public static OnnxModel read(MemorySegment file) {
        KnownFormats.refuse(file);
        NodeCount count = new NodeCount();
        Wire in = Wire.of(file);
        String producer = "";
        String version = "";
        Map<String, Long> opsets = new LinkedHashMap<>();
        List<OnnxFunction> functions = new ArrayList<>();
        OnnxGraphBody graph = null;
        while (in.next()) {
            switch (in.field()) {
                case 2 -> producer = in.text();
                case 3 -> version = in.text();
                case 7 -> {
                    if (graph != null) {
                        throw in.damaged("the file has two graphs");
                    }
                    graph = OnnxGraphBody.read(in.message(), count);
                }
                case 8 -> opset(in.message(), opsets);
                case 25 -> functions.add(OnnxFunction.read(in.message(), count));
                default -> in.skip();
            }
        }
        if (graph == null) {
            throw new DamagedOnnxException("the file has no graph, so it is no model of ONNX");
        }
        return new OnnxModel((producer + " " + version).strip(), opsets, functions, graph);
    }

    private static void opset(Wire in, Map<String, Long> opsets) {
        String domain = "";
        long version = 1;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> domain = in.text();
                case 2 -> version = in.number();
                default -> in.skip();
            }
        }
        opsets.put(domain.equals("ai.onnx") ? "" : domain, version);
    }

    /** Reads a {@code StringStringEntryProto}. */
    static void entry(Wire in, Map<String, String> to) {
        String key = "";
        String value = "";
        while (in.next()) {
            switch (in.field()) {
                case 1 -> key = in.text();
                case 2 -> value = in.text();
                default -> in.skip();
            }
        }
        to.put(key, value);
    }

    /** Version of ONNX's own operators. */
    public long opset() {
        return opsets.getOrDefault("", 1L);
    }
}
