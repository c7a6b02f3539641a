package dev.remat.compiler.onnx.statement;

import dev.remat.compiler.onnx.read.ElementType;
import dev.remat.compiler.onnx.read.OnnxTensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Numbers of a tensor of a file; small integers become i32. */
final class ReadNumbers {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** How many numbers tell what a tensor is. */
    private static final int FIRST = 64;

    private static final double LEAST = -1e9;

    private ReadNumbers() {}

    /** Empty if they are too many. */
    static Optional<Constant> run(OnnxTensor tensor, Function<OnnxTensor, MemorySegment> bytes) {
        return tensor.elements() > Constant.MOST ? Optional.empty() : Optional.of(all(tensor, bytes));
    }

    static Constant all(OnnxTensor tensor, Function<OnnxTensor, MemorySegment> bytes) {
        DType dtype = dtype(tensor.type())
                .orElseThrow(() -> new RefusedException("tensor '" + tensor.name() + "' is of " + tensor.type()
                        + ", which no model here computes with"));
        MemorySegment data = bytes.apply(tensor);
        int count = Math.toIntExact(tensor.elements());
        if (dtype.isFloat()) {
            List<Double> reals = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                reals.add(real(tensor.type(), data, i));
            }
            return Constant.reals(dtype, tensor.shape(), reals);
        }
        List<Dim> integers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            integers.add(Dim.of(integer(tensor.type(), data, i)));
        }
        return Constant.integers(dtype, tensor.shape(), integers);
    }

    /** Whether one of the first numbers is infinite, or so far below 0 that no training has been there. */
    static boolean hides(OnnxTensor tensor, Function<OnnxTensor, MemorySegment> bytes) {
        boolean isFloat = tensor.type().dtype().filter(dtype -> dtype.isFloat()).isPresent();
        if (!isFloat || tensor.shape().size() < 2) {
            return false;
        }
        MemorySegment data = bytes.apply(tensor);
        for (long i = 0; i < Math.min(tensor.elements(), FIRST); i++) {
            if (real(tensor.type(), data, i) <= LEAST) {
                return true;
            }
        }
        return false;
    }

    /** The type that a model has for it. */
    static Optional<DType> dtype(ElementType type) {
        return switch (type) {
            case UINT8, INT8, UINT16, INT16 -> Optional.of(DType.I32);
            case UINT32, UINT64 -> Optional.of(DType.I64);
            default -> type.dtype();
        };
    }

    private static double real(ElementType type, MemorySegment data, long i) {
        return switch (type) {
            case FLOAT -> data.get(FLOAT, 4 * i);
            case DOUBLE -> data.get(DOUBLE, 8 * i);
            case FLOAT16 -> Float.float16ToFloat(data.get(SHORT, 2 * i));
            default -> Float.intBitsToFloat(data.get(SHORT, 2 * i) << 16);
        };
    }

    private static long integer(ElementType type, MemorySegment data, long i) {
        return switch (type) {
            case INT8 -> data.get(ValueLayout.JAVA_BYTE, i);
            case UINT8 -> data.get(ValueLayout.JAVA_BYTE, i) & 0xff;
            case BOOL -> data.get(ValueLayout.JAVA_BYTE, i) == 0 ? 0 : 1;
            case INT16 -> data.get(SHORT, 2 * i);
            case UINT16 -> data.get(SHORT, 2 * i) & 0xffff;
            case INT32 -> data.get(INT, 4 * i);
            case UINT32 -> data.get(INT, 4 * i) & 0xffffffffL;
            default -> data.get(LONG, 8 * i);
        };
    }
}
