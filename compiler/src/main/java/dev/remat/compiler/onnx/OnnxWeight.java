package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import java.util.List;

/**
 * A tensor that the exported model brings.
 *
 * @param shape extents, empty for a scalar
 * @param source where its bytes are: little-endian, row-major, dense
 */
public record OnnxWeight(String name, DType dtype, List<Long> shape, Source source) {
    public OnnxWeight {
        shape = List.copyOf(shape);
    }

    /** Where bytes are. */
    public sealed interface Source {}

    /** In the model's file. */
    public record Inside(ProtoMessage.Data data) implements Source {}

    /**
     * In a file beside the model's.
     *
     * @param location path as seen from the model's folder, with slashes
     * @param offset of the first byte
     */
    public record Outside(String location, long offset) implements Source {}

    /** Size in bytes. */
    public long byteSize() {
        long elements = shape.stream().reduce(1L, Math::multiplyExact);
        return Math.multiplyExact(elements, dtype.bytes());
    }
}
