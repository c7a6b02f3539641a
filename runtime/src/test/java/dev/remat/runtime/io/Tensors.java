package dev.remat.runtime.io;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Small tensors for tests. */
public final class Tensors {
    private Tensors() {}

    public static StoredTensor floats(String name, List<Long> shape, float... values) {
        MemorySegment data = Arena.ofAuto().allocate(values.length * 4L, 8);
        MemorySegment.copy(values, 0, data, ValueLayout.JAVA_FLOAT, 0, values.length);
        return new StoredTensor(name, StoredType.F32, shape, data);
    }

    public static StoredTensor longs(String name, List<Long> shape, long... values) {
        MemorySegment data = Arena.ofAuto().allocate(values.length * 8L, 8);
        MemorySegment.copy(values, 0, data, ValueLayout.JAVA_LONG, 0, values.length);
        return new StoredTensor(name, StoredType.I64, shape, data);
    }

    public static StoredTensor bytes(String name, StoredType type, List<Long> shape, int... values) {
        MemorySegment data = Arena.ofAuto().allocate(values.length, 8);
        for (int i = 0; i < values.length; i++) {
            data.set(ValueLayout.JAVA_BYTE, i, (byte) values[i]);
        }
        return new StoredTensor(name, type, shape, data);
    }

    public static float[] floats(StoredTensor tensor) {
        return tensor.data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
    }
}
