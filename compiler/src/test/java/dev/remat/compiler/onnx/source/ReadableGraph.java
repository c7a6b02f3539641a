package dev.remat.compiler.onnx.source;

import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.onnx.read.OnnxFile;
import dev.remat.compiler.onnx.read.OnnxText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A graph of ONNX that a test puts together, over an input x of [2, 3, 4], and the text that it is imported as. */
abstract class ReadableGraph {
    static final int WIDTH = 4;

    @TempDir
    Path folder;

    ProtoMessage graph;

    @BeforeEach
    void begin() {
        graph = new ProtoMessage().message(11, OnnxText.value("x", OnnxText.FLOAT, 2, 3, WIDTH));
    }

    final ReadableGraph node(String operator, String output, String... inputs) {
        ProtoMessage node = new ProtoMessage();
        for (String input : inputs) {
            node.text(1, input);
        }
        graph.message(1, node.text(2, output).text(4, operator));
        return this;
    }

    final ReadableGraph mean(String output, String input, long axis) {
        ProtoMessage axes = new ProtoMessage().text(1, "axes").number(8, axis).number(20, 7);
        graph.message(1, OnnxText.node("ReduceMean", input, output).message(5, axes));
        return this;
    }

    final ReadableGraph transpose(String output, String input, long... order) {
        ProtoMessage perm = new ProtoMessage().text(1, "perm").number(20, 7);
        for (long axis : order) {
            perm.number(8, axis);
        }
        graph.message(1, OnnxText.node("Transpose", input, output).message(5, perm));
        return this;
    }

    final ReadableGraph softmax(String output, String input) {
        ProtoMessage axis = new ProtoMessage().text(1, "axis").number(3, -1).number(20, 2);
        graph.message(1, OnnxText.node("Softmax", input, output).message(5, axis));
        return this;
    }

    final ReadableGraph number(String name, float value) {
        graph.message(5, OnnxText.tensor(name, OnnxText.FLOAT, OnnxText.floats(value)));
        return this;
    }

    final ReadableGraph weight(String name, long... dims) {
        int count = 1;
        for (long dim : dims) {
            count *= (int) dim;
        }
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = i;
        }
        graph.message(5, OnnxText.tensor(name, OnnxText.FLOAT, OnnxText.floats(values), dims));
        return this;
    }

    final ReadableGraph scalar(String name, int value) {
        graph.message(5, OnnxText.tensor(name, OnnxText.INT64, new byte[] {(byte) value, 0, 0, 0, 0, 0, 0, 0}));
        return this;
    }

    final ReadableGraph shape(String name, int... dims) {
        byte[] bytes = new byte[8 * dims.length];
        for (int i = 0; i < dims.length; i++) {
            bytes[8 * i] = (byte) dims[i];
        }
        graph.message(5, OnnxText.tensor(name, OnnxText.INT64, bytes, dims.length));
        return this;
    }

    final ImportedGraph imported(boolean isPlain, String... outputs) throws IOException {
        for (String output : outputs) {
            graph.message(12, OnnxText.value(output, OnnxText.FLOAT));
        }
        Path file = Files.write(folder.resolve("m.onnx"), OnnxText.bytes(OnnxText.model(graph)));
        try (OnnxFile open = OnnxFile.open(file, false)) {
            return OnnxImport.run(
                    open,
                    new ImportRequest(
                            "M", "m.onnx", List.of(), List.of(), new LinkedHashMap<>(), isPlain, Optional.empty()));
        }
    }

    final String text(String... outputs) throws IOException {
        return imported(false, outputs).text();
    }
}
