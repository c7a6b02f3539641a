package dev.remat.compiler.onnx.read;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One message of protocol buffers, field by field, in the file that holds it. Nothing is copied but numbers and texts.
 * Groups are refused, and so is everything that does not fit into the message around it.
 */
final class Wire {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int DELIMITED = 2;
    private static final int FIXED32 = 5;
    private static final int MOST_DEPTH = 32;
    private static final int VARINT_BYTES = 10;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment file;
    private final long end;
    private final int depth;
    private long at;
    private long tagAt;
    private int field;
    private int type;

    private Wire(MemorySegment file, long begin, long end, int depth) {
        this.file = file;
        this.at = begin;
        this.end = end;
        this.depth = depth;
    }

    /** The message that the whole file is. */
    static Wire of(MemorySegment file) {
        return new Wire(file, 0, file.byteSize(), 0);
    }

    /** Goes to the next field; false at the end of the message. */
    boolean next() {
        if (at == end) {
            return false;
        }
        tagAt = at;
        long tag = varint();
        field = (int) (tag >>> 3);
        type = (int) (tag & 7);
        if (tag >>> 32 != 0 || field == 0) {
            throw damaged("no field has the number " + (tag >>> 3));
        }
        return true;
    }

    /** Number of the field. */
    int field() {
        return field;
    }

    /** Byte of the file at which the field begins. */
    long offset() {
        return tagAt;
    }

    /** What is wrong with this field. */
    DamagedOnnxException damaged(String problem) {
        return new DamagedOnnxException(tagAt, problem);
    }

    private void expect(int wanted) {
        if (type != wanted) {
            throw damaged("field " + field + " is written as wire type " + type + ", not " + wanted);
        }
    }

    private void need(long bytes) {
        if (bytes < 0 || bytes > end - at) {
            throw damaged("field " + field + " goes beyond the end of what it is in");
        }
    }

    private long varint() {
        long value = 0;
        for (int i = 0; i < VARINT_BYTES; i++) {
            need(1);
            byte next = file.get(ValueLayout.JAVA_BYTE, at++);
            value |= (next & 0x7FL) << 7 * i;
            if (next >= 0) {
                return value;
            }
        }
        throw damaged("a number has more than " + VARINT_BYTES + " bytes");
    }

    long number() {
        expect(VARINT);
        return varint();
    }

    float real() {
        expect(FIXED32);
        need(Integer.BYTES);
        at += Integer.BYTES;
        return Float.intBitsToFloat(file.get(INT, at - Integer.BYTES));
    }

    /** The message in this field. */
    Wire message() {
        if (depth == MOST_DEPTH) {
            throw damaged("messages lie more than " + MOST_DEPTH + " deep");
        }
        long begin = delimited();
        return new Wire(file, begin, at, depth + 1);
    }

    /** Bytes of the field, where they are. */
    MemorySegment bytes() {
        long begin = delimited();
        return file.asSlice(begin, at - begin);
    }

    private long delimited() {
        expect(DELIMITED);
        long length = varint();
        need(length);
        at += length;
        return at - length;
    }

    String text() {
        MemorySegment bytes = bytes();
        if (bytes.byteSize() > 1 << 24) {
            throw damaged("a text has more than 16 MiB");
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toArray(ValueLayout.JAVA_BYTE)))
                    .toString();
        } catch (CharacterCodingException e) {
            throw damaged("a text is not UTF-8");
        }
    }

    /** Adds one number, or all of a packed list. */
    void numbers(List<Long> to) {
        if (type != DELIMITED) {
            to.add(number());
            return;
        }
        Wire list = message();
        list.tagAt = tagAt;
        list.field = field;
        while (list.at < list.end) {
            to.add(list.varint());
        }
    }

    /** Adds one number, or all of a packed list. */
    void reals(List<Float> to) {
        if (type != DELIMITED) {
            to.add(real());
            return;
        }
        MemorySegment list = fixed(Integer.BYTES);
        for (long i = 0; i < list.byteSize(); i += Integer.BYTES) {
            to.add(Float.intBitsToFloat(list.get(INT, i)));
        }
    }

    /** Elements of a list of numbers of fixed size: the packed list as it lies there, or one element. */
    MemorySegment fixed(int width) {
        if (type == DELIMITED) {
            MemorySegment list = bytes();
            if (list.byteSize() % width != 0) {
                throw damaged("a list of numbers of " + width + " bytes has " + list.byteSize());
            }
            return list;
        }
        expect(width == Integer.BYTES ? FIXED32 : FIXED64);
        need(width);
        at += width;
        return file.asSlice(at - width, width);
    }

    /** Passes over the field, whatever it is. */
    void skip() {
        switch (type) {
            case VARINT -> varint();
            case FIXED64 -> fixed(Long.BYTES);
            case FIXED32 -> fixed(Integer.BYTES);
            case DELIMITED -> delimited();
            default -> throw damaged("field " + field + " is of wire type " + type + ", which no model has");
        }
    }

    /** Little-endian bytes of integers. */
    static MemorySegment packed(List<Long> numbers, int width) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[Math.multiplyExact(numbers.size(), width)]);
        for (int i = 0; i < numbers.size(); i++) {
            long value = numbers.get(i);
            switch (width) {
                case 1 -> bytes.set(ValueLayout.JAVA_BYTE, i, (byte) value);
                case 2 ->
                    bytes.set(
                            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 2L * i, (short) value);
                case 4 -> bytes.set(INT, 4L * i, (int) value);
                default -> bytes.set(LONG, 8L * i, value);
            }
        }
        return bytes;
    }
}
