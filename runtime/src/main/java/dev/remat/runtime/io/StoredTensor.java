package dev.remat.runtime.io;

import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Count;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A named tensor as files hold it: little-endian, row-major, dense.
 *
 * @param shape extents, empty for a scalar
 * @param data exactly the tensor's bytes; of a tensor read from a file it is valid until the file is closed
 * @param origin where an open file has the same bytes
 */
public record StoredTensor(
        String name, StoredType type, List<Long> shape, MemorySegment data, Optional<FileRange> origin)
        implements StreamedTensor {
    private static final long PIECE_BYTES = 1 << 26;

    public StoredTensor {
        shape = List.copyOf(shape);
        long bytes = byteSize(type, shape);
        if (data.byteSize() != bytes) {
            throw new IllegalArgumentException(
                    name + " needs " + Count.bytes(bytes) + " for " + type + shape + ", got " + data.byteSize());
        }
    }

    /** Of bytes in memory. */
    public StoredTensor(String name, StoredType type, List<Long> shape, MemorySegment data) {
        this(name, type, shape, data, Optional.empty());
    }

    @Override
    public long byteSize() {
        return data.byteSize();
    }

    @Override
    public void stream(Sink sink) throws IOException {
        for (long offset = 0; offset < data.byteSize(); offset += PIECE_BYTES) {
            sink.take(data.asSlice(offset, Math.min(PIECE_BYTES, data.byteSize() - offset)));
        }
    }

    @Override
    public void writeTo(WritableByteChannel out) throws IOException {
        if (origin.isPresent()) {
            origin.get().writeTo(out);
        } else {
            StreamedTensor.super.writeTo(out);
        }
    }

    /** Number of elements, 1 for a scalar. */
    public long elements() {
        return data.byteSize() / type.bytes();
    }

    /**
     * Part {@code index} of {@code count} parts of equal size along the first axis, in a copy; of one part all of it.
     *
     * @throws DataException if there are no such parts
     */
    public StoredTensor part(int index, int count) {
        if (count > 1 && (shape.isEmpty() || shape.getFirst() % count != 0)) {
            throw new DataException(
                    "the file has " + name + ": " + type + shape + ", which is not cut into " + count + " parts");
        }
        List<Long> part = new ArrayList<>(shape);
        if (count > 1) {
            part.set(0, shape.getFirst() / count);
        }
        long bytes = data.byteSize() / count;
        MemorySegment copy =
                Arena.ofAuto().allocate(Math.max(bytes, 1), Long.BYTES).asSlice(0, bytes);
        return new StoredTensor(name, type, part, copy.copyFrom(data.asSlice(index * bytes, bytes)));
    }

    /** Rows {@code begin} up to but not {@code end} along the first axis, without a copy. */
    public StoredTensor rows(long begin, long end) {
        List<Long> part = new ArrayList<>(shape);
        part.set(0, end - begin);
        long row = byteSize(type, shape.subList(1, shape.size()));
        return new StoredTensor(name, type, part, data.asSlice(begin * row, (end - begin) * row));
    }

    /** A copy of a matrix with rows and columns exchanged. */
    public StoredTensor transposed() {
        long rows = shape.getFirst();
        long columns = shape.getLast();
        MemorySegment target = Arena.ofAuto().allocate(Math.max(data.byteSize(), 1), Long.BYTES);
        target = target.asSlice(0, data.byteSize());
        ElementConversion.transpose(data, rows, columns, type.bytes(), target);
        return new StoredTensor(name, type, List.of(columns, rows), target);
    }

    /**
     * Rows of several tensors one after another, in a copy.
     *
     * @param parts at least one, all of one type and with rows of one shape
     */
    public static StoredTensor joined(String name, List<StoredTensor> parts) {
        List<Long> shape = new ArrayList<>(parts.getFirst().shape());
        shape.set(0, parts.stream().mapToLong(part -> part.shape().getFirst()).sum());
        StoredType type = parts.getFirst().type();
        long bytes = byteSize(type, shape);
        MemorySegment target =
                Arena.ofAuto().allocate(Math.max(bytes, 1), Long.BYTES).asSlice(0, bytes);
        long at = 0;
        for (StoredTensor part : parts) {
            target.asSlice(at, part.byteSize()).copyFrom(part.data());
            at += part.byteSize();
        }
        return new StoredTensor(name, type, shape, target);
    }

    /** The same elements under another name. */
    public StoredTensor named(String other) {
        return new StoredTensor(other, type, shape, data, origin);
    }

    /**
     * Checks that it can stand for a tensor of the model's.
     *
     * @param needed a symbolic extent may be any
     * @throws DataException if the shape is another or the elements cannot be converted
     */
    public void require(TensorType needed) {
        misfit(needed).ifPresent(problem -> {
            throw new DataException("the file has " + problem);
        });
    }

    /** Words for a shape that is not the needed one, or elements that cannot be converted; empty if all is well. */
    public Optional<String> misfit(TensorType needed) {
        boolean suits = shape.size() == needed.rank() && ElementConversion.isAllowed(type, needed.dtype());
        for (int axis = 0; suits && axis < shape.size(); axis++) {
            suits = !needed.dim(axis).isConstant() || needed.dim(axis).value() == shape.get(axis);
        }
        return suits ? Optional.empty() : Optional.of(name + ": " + type + shape + ", the model needs " + needed);
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
