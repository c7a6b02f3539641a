package dev.remat.compiler.onnx.read;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A {@code TensorProto}, whose sizes agree with each other.
 *
 * @param name empty where none is needed
 */
public record OnnxTensor(String name, ElementType type, List<Long> shape, TensorData data) {
    private static final int MOST_AXES = 8;

    public OnnxTensor {
        shape = List.copyOf(shape);
    }

    /** Number of elements, 1 for a scalar. */
    public long elements() {
        return shape.stream().reduce(1L, Math::multiplyExact);
    }

    /** Size of all elements in bytes. */
    public long byteSize() {
        return Math.multiplyExact(elements(), type.width());
    }

    /** The same elements under another name. */
    public OnnxTensor named(String other) {
        return new OnnxTensor(other, type, shape, data);
    }

    /**
     * Reads a file that holds one {@code TensorProto}.
     *
     * @throws DamagedOnnxException if it does not
     */
    public static OnnxTensor read(MemorySegment file) {
        return read(Wire.of(file));
    }

    static OnnxTensor read(Wire in) {
        long begin = in.offset();
        List<Long> shape = new ArrayList<>();
        List<Long> integers = new ArrayList<>();
        List<MemorySegment> fixed = new ArrayList<>();
        ExternalPlace place = new ExternalPlace();
        String name = "";
        long type = 0;
        boolean isOutside = false;
        boolean hasTexts = false;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> in.numbers(shape);
                case 2 -> type = in.number();
                case 4 -> fixed.add(in.fixed(Float.BYTES));
                case 5, 7, 11 -> in.numbers(integers);
                case 6 -> {
                    hasTexts = true;
                    in.skip();
                }
                case 8 -> name = in.text();
                case 9 -> fixed.add(in.bytes());
                case 10 -> fixed.add(in.fixed(Double.BYTES));
                case 13 -> place.read(in.message());
                case 14 -> isOutside = in.number() == 1;
                default -> in.skip();
            }
        }
        String what = "tensor '" + name + "'";
        long number = type;
        ElementType element = ElementType.of(type)
                .orElseThrow(() -> new DamagedOnnxException(begin, what + " has elements of type " + number));
        checkShape(begin, what, shape, element);
        if (isOutside) {
            return new OnnxTensor(name, element, shape, place.data(begin, what));
        }
        if (hasTexts || element.width() == 0) {
            return new OnnxTensor(name, element, shape, new TensorData.Inside(MemorySegment.ofArray(new byte[0])));
        }
        OnnxTensor tensor = new OnnxTensor(
                name,
                element,
                shape,
                new TensorData.Inside(integers.isEmpty() ? joined(fixed) : Wire.packed(integers, element.width())));
        long bytes = ((TensorData.Inside) tensor.data()).bytes().byteSize();
        if (bytes != tensor.byteSize()) {
            throw new DamagedOnnxException(
                    begin, what + " of " + element + shape + " has " + bytes + " bytes, not " + tensor.byteSize());
        }
        return tensor;
    }

    private static void checkShape(long begin, String what, List<Long> shape, ElementType element) {
        if (shape.size() > MOST_AXES) {
            throw new DamagedOnnxException(
                    begin, what + " has " + shape.size() + " axes, and " + MOST_AXES + " are the most");
        }
        long bytes = Math.max(element.width(), 1);
        for (long extent : shape) {
            if (extent < 0) {
                throw new DamagedOnnxException(begin, what + " has the extent " + extent);
            }
            if (extent > 0 && bytes > Long.MAX_VALUE / extent) {
                throw new DamagedOnnxException(begin, what + " of " + shape + " has more bytes than can be counted");
            }
            bytes *= Math.max(extent, 1);
        }
    }

    /** Pieces of one list. */
    private static MemorySegment joined(List<MemorySegment> pieces) {
        if (pieces.size() == 1) {
            return pieces.getFirst();
        }
        long bytes = pieces.stream().mapToLong(MemorySegment::byteSize).sum();
        MemorySegment joined = MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
        long at = 0;
        for (MemorySegment piece : pieces) {
            joined.asSlice(at, piece.byteSize()).copyFrom(piece);
            at += piece.byteSize();
        }
        return joined;
    }

    /** Bytes, once it is known that they are in the file. */
    public Optional<MemorySegment> inside() {
        return data instanceof TensorData.Inside(MemorySegment bytes) ? Optional.of(bytes) : Optional.empty();
    }
}
