package dev.remat;

import dev.remat.ir.DType;
import dev.remat.runtime.io.ElementConversion;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A tensor of a training: a parameter, a running statistic, or what its optimizer keeps.
 *
 * @param type of the elements, such as {@code f32}
 * @param data read-only, row-major and little-endian. Where the training has the tensor in this machine's memory it is
 *     seen there: it changes with each step, any thread may read it, and once the training is closed every access
 *     throws {@link IllegalStateException}
 */
public record Tensor(String name, String type, List<Long> shape, MemorySegment data) {
    public Tensor {
        shape = List.copyOf(shape);
    }

    static Tensor of(StoredTensor tensor) {
        DType type = tensor.type().dtype().orElseThrow();
        return new Tensor(
                tensor.name(), type.label(), tensor.shape(), tensor.data().asReadOnly());
    }

    /**
     * A copy of the elements, rounded to the nearest where they are wider.
     *
     * @throws IllegalStateException once the training is closed
     */
    public float[] toFloats() {
        StoredTensor stored = new StoredTensor(name, StoredType.of(DType.ofLabel(type)), shape, data);
        float[] copy = new float[Math.toIntExact(stored.elements())];
        ElementConversion.copy(stored, 0, copy.length, DType.F32, MemorySegment.ofArray(copy), 0);
        return copy;
    }
}
