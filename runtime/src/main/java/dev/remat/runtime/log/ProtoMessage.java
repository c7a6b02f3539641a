package dev.remat.runtime.log;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** A message in the wire format of Protocol Buffers, field by field in the order of the calls. */
final class ProtoMessage {
    private static final int VARINT = 0;
    private static final int FIXED_64 = 1;
    private static final int LENGTH_AND_BYTES = 2;
    private static final int FIXED_32 = 5;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** A field of type {@code int64} or of an enumeration. */
    ProtoMessage number(int field, long value) {
        tag(field, VARINT);
        varint(value);
        return this;
    }

    ProtoMessage real(int field, double value) {
        tag(field, FIXED_64);
        bytes.writeBytes(little(Double.BYTES).putDouble(value).array());
        return this;
    }

    ProtoMessage real(int field, float value) {
        tag(field, FIXED_32);
        bytes.writeBytes(little(Float.BYTES).putFloat(value).array());
        return this;
    }

    ProtoMessage text(int field, String value) {
        return lengthAndBytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    ProtoMessage message(int field, ProtoMessage value) {
        return lengthAndBytes(field, value.toBytes());
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }

    private ProtoMessage lengthAndBytes(int field, byte[] value) {
        tag(field, LENGTH_AND_BYTES);
        varint(value.length);
        bytes.writeBytes(value);
        return this;
    }

    private void tag(int field, int type) {
        varint((long) field << 3 | type);
    }

    /** Seven bits a byte, the lowest first; the highest bit says that more follow. */
    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes.write((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        bytes.write((int) rest);
    }

    private static ByteBuffer little(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }
}
