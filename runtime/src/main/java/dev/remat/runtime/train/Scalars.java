package dev.remat.runtime.train;

import dev.remat.ir.DType;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.runtime.Executable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.DoublePredicate;

/** Reads single elements out of an arena. */
public final class Scalars {
    private Scalars() {}

    /** The value of a scalar output. */
    static double read(Executable executable, PlanOutput output) {
        return read(
                executable.read(output.offset(), output.type().bytes()),
                output.type().dtype(),
                0);
    }

    /** Element {@code index} of a dense tensor. */
    public static double read(MemorySegment data, DType type, long index) {
        return switch (type) {
            case F64 -> data.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, index * 8);
            case F32 -> data.get(ValueLayout.JAVA_FLOAT_UNALIGNED, index * 4);
            case F16 -> Float.float16ToFloat(data.get(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2));
            case BF16 -> Float.intBitsToFloat(data.get(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2) << 16);
            case I32 -> data.get(ValueLayout.JAVA_INT_UNALIGNED, index * 4);
            case I64 -> data.get(ValueLayout.JAVA_LONG_UNALIGNED, index * 8);
            case BOOL -> data.get(ValueLayout.JAVA_BYTE, index);
            case BIT, SEED -> throw new IllegalArgumentException("no scalar is a " + type);
        };
    }

    /** Whether a float tensor has such an element. */
    static boolean any(MemorySegment data, DType type, DoublePredicate predicate) {
        if (!type.isFloat()) {
            return false;
        }
        long elements = data.byteSize() / type.bytes();
        for (long i = 0; i < elements; i++) {
            if (predicate.test(read(data, type, i))) {
                return true;
            }
        }
        return false;
    }
}
