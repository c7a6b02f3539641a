package dev.remat.compiler.onnx;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads messages by the numbers of ONNX's published schema. */
record ReadModel(Map<Integer, List<Object>> fields) {
    static ReadModel of(ProtoMessage message) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        message.writeTo(piece -> {
            while (piece.hasRemaining()) {
                bytes.write(piece.get());
            }
        });
        return of(bytes.toByteArray());
    }

    private static ReadModel of(byte[] bytes) throws IOException {
        Map<Integer, List<Object>> fields = new LinkedHashMap<>();
        CodedInputStream in = CodedInputStream.newInstance(bytes);
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            Object value = switch (WireFormat.getTagWireType(tag)) {
                case WireFormat.WIRETYPE_VARINT -> in.readInt64();
                case WireFormat.WIRETYPE_FIXED32 -> in.readFloat();
                default -> in.readByteArray();
            };
            fields.computeIfAbsent(WireFormat.getTagFieldNumber(tag), _ -> new ArrayList<>())
                    .add(value);
        }
        return new ReadModel(fields);
    }

    private List<Object> all(int field) {
        return fields.getOrDefault(field, List.of());
    }

    long number(int field) {
        return (Long) all(field).getFirst();
    }

    String text(int field) {
        return new String((byte[]) all(field).getFirst(), StandardCharsets.UTF_8);
    }

    List<String> texts(int field) {
        return all(field).stream()
                .map(each -> new String((byte[]) each, StandardCharsets.UTF_8))
                .toList();
    }

    List<ReadModel> messages(int field) {
        return all(field).stream()
                .map(each -> {
                    try {
                        return of((byte[]) each);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .toList();
    }

    ReadModel message(int field) {
        return messages(field).getFirst();
    }

    /** Of a model, its {@code GraphProto}. */
    ReadModel graph() {
        return message(7);
    }

    /** Of a graph, names of the nodes. */
    List<String> nodes() {
        return messages(1).stream().map(node -> node.text(3)).toList();
    }

    /** Of a graph, the operators that it applies. */
    List<String> operators() {
        return messages(1).stream().map(node -> node.text(4)).toList();
    }

    /** Of a graph, names of what the field has. */
    List<String> names(int field, int name) {
        return messages(field).stream().map(each -> each.text(name)).toList();
    }
}
