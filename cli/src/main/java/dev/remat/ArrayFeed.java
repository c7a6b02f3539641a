package dev.remat;

import dev.remat.ir.DType;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.ElementConversion;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;

/** Samples that lie in arrays, by input. */
final class ArrayFeed implements Feed {
    private final long count;
    private final Map<String, StoredTensor> arrays = new TreeMap<>();
    private final LongUnaryOperator order;

    /**
     * @param count of the samples
     * @param order the sample at a position of the endless sequence of rows
     */
    ArrayFeed(long count, Map<String, ?> samples, LongUnaryOperator order) {
        this.count = count;
        this.order = order;
        samples.forEach((name, array) -> arrays.put(name, stored(name, array)));
    }

    private static StoredTensor stored(String name, Object array) {
        return switch (array) {
            case float[] floats -> stored(name, StoredType.F32, MemorySegment.ofArray(floats));
            case double[] doubles -> stored(name, StoredType.F64, MemorySegment.ofArray(doubles));
            case int[] ints -> stored(name, StoredType.I32, MemorySegment.ofArray(ints));
            case long[] longs -> stored(name, StoredType.I64, MemorySegment.ofArray(longs));
            default -> throw new IllegalArgumentException(name + " is no float[], double[], int[] or long[]");
        };
    }

    private static StoredTensor stored(String name, StoredType type, MemorySegment data) {
        return new StoredTensor(name, type, List.of(data.byteSize() / type.bytes()), data);
    }

    /** @throws DataException if there is no array for the input, or none that suits it */
    @Override
    public void fill(long batch, Input input, MemorySegment into) {
        StoredTensor array = arrays.get(input.name());
        DType type = DType.ofLabel(input.type());
        if (array == null) {
            throw new DataException("no array for the input " + input + "; there are " + arrays.keySet());
        }
        long size = input.elements() / input.rows();
        if (array.elements() != count * size || !ElementConversion.isAllowed(array.type(), type)) {
            throw new DataException(array.name() + " has " + array.elements() + " elements of " + array.type()
                    + ", and " + count + " samples for the input " + input + " have " + count * size);
        }
        for (long row = 0; row < input.rows(); row++) {
            long sample = order.applyAsLong(Math.addExact(Math.multiplyExact(batch, input.rows()), row));
            ElementConversion.copy(array, sample * size, size, type, into, row * size * type.bytes());
        }
    }
}
