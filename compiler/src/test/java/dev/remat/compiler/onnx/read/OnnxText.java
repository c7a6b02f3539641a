package dev.remat.compiler.onnx.read;

import dev.remat.compiler.onnx.ProtoMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Messages of ONNX by the numbers of its published schema, for files that no exporter writes. */
public final class OnnxText {
    public static final int FLOAT = 1;
    public static final int INT64 = 7;
    public static final int BOOL = 9;

    private OnnxText() {}

    public static byte[] bytes(ProtoMessage message) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        message.writeTo(piece -> {
            while (piece.hasRemaining()) {
                bytes.write(piece.get());
            }
        });
        return bytes.toByteArray();
    }

    /** A model of version 8 of the format and 17 of the operators. */
    public static ProtoMessage model(ProtoMessage graph) {
        return new ProtoMessage().number(1, 8).message(7, graph).message(8, new ProtoMessage().number(2, 17));
    }

    public static ProtoMessage value(String name, int type, long... dims) {
        ProtoMessage shape = new ProtoMessage();
        for (long dim : dims) {
            shape.message(1, new ProtoMessage().number(1, dim));
        }
        return new ProtoMessage()
                .text(1, name)
                .message(
                        2,
                        new ProtoMessage()
                                .message(1, new ProtoMessage().number(1, type).message(2, shape)));
    }

    public static ProtoMessage node(String operator, String input, String output) {
        return new ProtoMessage().text(1, input).text(2, output).text(4, operator);
    }

    public static ProtoMessage tensor(String name, int type, byte[] raw, long... dims) {
        ProtoMessage tensor = new ProtoMessage();
        for (long dim : dims) {
            tensor.number(1, dim);
        }
        return tensor.number(2, type).text(8, name).bytes(9, raw);
    }

    public static byte[] floats(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float value : values) {
            bytes.putFloat(value);
        }
        return bytes.array();
    }

    public static ProtoMessage entry(String key, String value) {
        return new ProtoMessage().text(1, key).text(2, value);
    }

    /** {@code y = relu(x + w)}, with a weight as it is given. */
    public static ProtoMessage graph(ProtoMessage weight) {
        return new ProtoMessage()
                .message(
                        1,
                        new ProtoMessage()
                                .text(1, "x")
                                .text(1, "w")
                                .text(2, "sum")
                                .text(4, "Add"))
                .message(1, node("Relu", "sum", "y"))
                .message(5, weight)
                .message(11, value("x", FLOAT, 2, 2))
                .message(12, value("y", FLOAT, 2, 2));
    }

    public static ProtoMessage weight() {
        return tensor("w", FLOAT, floats(1, 2), 2);
    }
}
