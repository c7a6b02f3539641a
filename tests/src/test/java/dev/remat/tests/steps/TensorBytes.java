package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.tests.reference.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Tensors as they lie in memory: dense, row-major, little-endian. */
public final class TensorBytes {
    private TensorBytes() {}

    /** Writes {@code tensor}, whose elements its dtype can hold, from {@code offset} on. */
    public static void encode(Tensor tensor, MemorySegment memory, long offset) {
        DType dtype = tensor.type().dtype();
        for (int i = 0; i < tensor.data().length; i++) {
            double value = tensor.data()[i];
            long at = offset + (long) i * dtype.bytes();
            switch (dtype) {
                case F32 -> memory.set(ValueLayout.JAVA_FLOAT, at, (float) value);
                case BF16 ->
                    memory.set(ValueLayout.JAVA_SHORT, at, (short) (Float.floatToRawIntBits((float) value) >>> 16));
                case F16 -> memory.set(ValueLayout.JAVA_SHORT, at, Float.floatToFloat16((float) value));
                case F64 -> memory.set(ValueLayout.JAVA_DOUBLE, at, value);
                case I32 -> memory.set(ValueLayout.JAVA_INT, at, (int) value);
                case I64 -> memory.set(ValueLayout.JAVA_LONG, at, (long) value);
                case BOOL -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
                case BIT -> setBit(memory, offset, i, value != 0);
                case SEED -> throw new IllegalArgumentException("seeds are not stored");
            }
        }
    }

    private static void setBit(MemorySegment memory, long offset, int index, boolean value) {
        long at = offset + index / Byte.SIZE;
        int bit = 1 << index % Byte.SIZE;
        byte before = memory.get(ValueLayout.JAVA_BYTE, at);
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) (value ? before | bit : before & ~bit));
    }

    /** The tensor whose bytes begin at {@code offset}. */
    public static Tensor decode(TensorType type, MemorySegment memory, long offset) {
        double[] data = new double[Math.toIntExact(type.elements())];
        for (int i = 0; i < data.length; i++) {
            long at = offset + (long) i * type.dtype().bytes();
            data[i] = switch (type.dtype()) {
                case F32 -> memory.get(ValueLayout.JAVA_FLOAT, at);
                case BF16 -> Float.intBitsToFloat(memory.get(ValueLayout.JAVA_SHORT, at) << 16);
                case F16 -> Float.float16ToFloat(memory.get(ValueLayout.JAVA_SHORT, at));
                case F64 -> memory.get(ValueLayout.JAVA_DOUBLE, at);
                case I32 -> memory.get(ValueLayout.JAVA_INT, at);
                case I64 -> memory.get(ValueLayout.JAVA_LONG, at);
                case BOOL -> memory.get(ValueLayout.JAVA_BYTE, at);
                case BIT -> memory.get(ValueLayout.JAVA_BYTE, offset + i / Byte.SIZE) >> i % Byte.SIZE & 1;
                case SEED -> throw new IllegalArgumentException("seeds are not stored");
            };
        }
        return new Tensor(type, data);
    }
}
