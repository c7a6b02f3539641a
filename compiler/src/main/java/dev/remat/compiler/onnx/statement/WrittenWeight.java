package dev.remat.compiler.onnx.statement;

import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.ir.DType;
import java.util.List;
import java.util.Optional;

/**
 * A tensor of the file of weights.
 *
 * @param name of the parameter
 * @param dtype and shape, as the text declares them
 * @param origin in the file that is imported; empty if the numbers were calculated
 * @param layout how the numbers of the origin become those of the tensor
 * @param values where they are not those of the file as they lie there
 */
public record WrittenWeight(
        String name,
        DType dtype,
        List<Long> shape,
        Optional<OnnxTensor> origin,
        Layout layout,
        Optional<Constant> values) {
    public WrittenWeight {
        shape = List.copyOf(shape);
    }

    /** The same under another name. */
    WrittenWeight named(String other) {
        return new WrittenWeight(other, dtype, shape, origin, layout, values);
    }

    /** How numbers lie that are those of the file. */
    public sealed interface Layout {
        /** As they do there. */
        record Same() implements Layout {}

        /** A matrix, rows and columns exchanged. */
        record Transposed() implements Layout {}

        /** Ranges of elements, one after another. */
        record Parts(List<Range> ranges) implements Layout {}
    }

    /** Elements {@code from} up to {@code to}. */
    public record Range(long from, long to) {}
}
