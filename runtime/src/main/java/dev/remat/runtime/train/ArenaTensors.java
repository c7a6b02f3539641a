package dev.remat.runtime.train;

import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.ElementConversion;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/** Moves whole tensors between files and an arena. */
final class ArenaTensors {
    private ArenaTensors() {}

    static List<Long> shape(TensorType type) {
        return Arrays.stream(type.shape().toArray()).boxed().toList();
    }

    /** A dense tensor of the arena under a name; its bytes are valid until the next run or write. */
    static StoredTensor read(Executable executable, String name, TensorType type, long offset) {
        MemorySegment data = executable.read(offset, type.bytes());
        return new StoredTensor(name, StoredType.of(type.dtype()), shape(type), data);
    }

    /** @throws dev.remat.runtime.io.DataException if the shape is another or the elements cannot be converted */
    static void write(Executable executable, ArenaTensor tensor, StoredTensor stored) {
        stored.require(tensor.type());
        try (Arena arena = Arena.ofShared()) {
            MemorySegment values = arena.allocate(tensor.type().bytes(), Long.BYTES);
            ElementConversion.copy(stored, 0, stored.elements(), tensor.type().dtype(), values, 0);
            executable.write(tensor.offset(), values);
        }
    }
}
