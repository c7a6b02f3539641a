package dev.remat.compiler.onnx.read;

import dev.remat.ir.DType;
import java.util.Locale;
import java.util.Optional;

/** Element types of ONNX, {@code TensorProto.DataType}. */
public enum ElementType {
    FLOAT(1, 4, DType.F32),
    UINT8(2, 1, null),
    INT8(3, 1, null),
    UINT16(4, 2, null),
    INT16(5, 2, null),
    INT32(6, 4, DType.I32),
    INT64(7, 8, DType.I64),
    STRING(8, 0, null),
    BOOL(9, 1, DType.BOOL),
    FLOAT16(10, 2, DType.F16),
    DOUBLE(11, 8, DType.F64),
    UINT32(12, 4, null),
    UINT64(13, 8, null),
    COMPLEX64(14, 8, null),
    COMPLEX128(15, 16, null),
    BFLOAT16(16, 2, DType.BF16),
    FLOAT8E4M3FN(17, 1, null),
    FLOAT8E4M3FNUZ(18, 1, null),
    FLOAT8E5M2(19, 1, null),
    FLOAT8E5M2FNUZ(20, 1, null),
    UINT4(21, 0, null),
    INT4(22, 0, null),
    FLOAT4E2M1(23, 0, null),
    FLOAT8E8M0(24, 1, null);

    private final int number;
    private final int width;
    private final Optional<DType> dtype;

    ElementType(int number, int width, DType dtype) {
        this.number = number;
        this.width = width;
        this.dtype = Optional.ofNullable(dtype);
    }

    /** Empty if there is no type of this number. */
    public static Optional<ElementType> of(long number) {
        for (ElementType type : values()) {
            if (type.number == number) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    /** As files have it. */
    public int number() {
        return number;
    }

    /** Bytes of an element; 0 where elements have no whole number of bytes. */
    public int width() {
        return width;
    }

    /** The type of a model with the same numbers. */
    public Optional<DType> dtype() {
        return dtype;
    }

    /** As ONNX writes it: {@code tensor(float)}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
