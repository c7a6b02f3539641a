package dev.remat.compiler.onnx;

import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A message of protocol buffers as it is built up, field by field. Large data stays where it is until the message is
 * written; its size alone is known before.
 */
public final class ProtoMessage {
    /** Takes bytes in order. */
    @FunctionalInterface
    public interface Sink {
        void take(ByteBuffer bytes) throws IOException;
    }

    /** Bytes that come when they are written. */
    @FunctionalInterface
    public interface Data {
        void writeTo(Sink sink) throws IOException;
    }

    @FunctionalInterface
    private interface Field {
        void writeTo(CodedOutputStream out) throws IOException;
    }

    private static final int LENGTH_DELIMITED = 2;

    private final List<Data> parts = new ArrayList<>();
    private long size;

    /** Size in bytes. */
    public long size() {
        return size;
    }

    public ProtoMessage number(int field, long value) {
        return add(out -> out.writeInt64(field, value));
    }

    public ProtoMessage real(int field, float value) {
        return add(out -> out.writeFloat(field, value));
    }

    public ProtoMessage text(int field, String value) {
        return add(out -> out.writeString(field, value));
    }

    public ProtoMessage bytes(int field, byte[] value) {
        return add(out -> out.writeByteArray(field, value));
    }

    /** @param message which is complete */
    public ProtoMessage message(int field, ProtoMessage message) {
        header(field, message.size);
        parts.addAll(message.parts);
        size += message.size;
        return this;
    }

    /** @param bytes how many the data has */
    public ProtoMessage data(int field, long bytes, Data data) {
        header(field, bytes);
        parts.add(data);
        size += bytes;
        return this;
    }

    private void header(int field, long bytes) {
        add(out -> {
            out.writeTag(field, LENGTH_DELIMITED);
            out.writeUInt64NoTag(bytes);
        });
    }

    private ProtoMessage add(Field field) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes, 64);
        try {
            field.writeTo(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("memory takes everything", e);
        }
        byte[] encoded = bytes.toByteArray();
        parts.add(sink -> sink.take(ByteBuffer.wrap(encoded)));
        size += encoded.length;
        return this;
    }

    /** Gives all bytes in order. */
    public void writeTo(Sink sink) throws IOException {
        for (Data part : parts) {
            part.writeTo(sink);
        }
    }
}
