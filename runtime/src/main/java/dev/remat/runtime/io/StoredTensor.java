package dev.remat.runtime.io;

import dev.remat.ir.diagnostic.Count;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A named tensor as files hold it: little-endian, row-major, dense.
 *
 * @param shape extents, empty for a scalar
 * @param data exactly the tensor's bytes; of a tensor read from a file it is valid until the file is closed
 */
public record StoredTensor(String name, StoredType type, List<Long> shape, MemorySegment data) {
    public StoredTensor {
        shape = List.copyOf(shape);
        long bytes = byteSize(type, shape);
        if (data.byteSize() != bytes) {
            throw new IllegalArgumentException(
                    name + " needs " + Count.bytes(bytes) + " for " + type + shape + ", got " + data.byteSize());
        }
    }

    /** Number of elements, 1 for a scalar. */
    public long elements() {
        return data.byteSize() / type.bytes();
    }

    /** @throws ArithmeticException if an extent is negative or the size exceeds a long */
    static long byteSize(StoredType type, List<Long> shape) {
        long elements = 1;
        for (long extent : shape) {
            if (extent < 0) {
                throw new ArithmeticException("negative extent " + extent);
            }
            elements = Math.multiplyExact(elements, extent);
        }
        return Math.multiplyExact(elements, type.bytes());
    }
}
