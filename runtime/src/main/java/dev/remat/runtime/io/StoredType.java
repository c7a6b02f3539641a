package dev.remat.runtime.io;

import dev.remat.ir.DType;
import java.util.Optional;

/** Element types of tensor files, by their safetensors names; little-endian. More than the IR computes with. */
public enum StoredType {
    F64(8, DType.F64),
    F32(4, DType.F32),
    F16(2, DType.F16),
    BF16(2, DType.BF16),
    I64(8, DType.I64),
    I32(4, DType.I32),
    I16(2, null),
    I8(1, null),
    U64(8, null),
    U32(4, null),
    U16(2, null),
    U8(1, null),
    BOOL(1, DType.BOOL),
    F8_E4M3(1, null),
    F8_E5M2(1, null);

    private final int bytes;
    private final Optional<DType> dtype;

    StoredType(int bytes, DType dtype) {
        this.bytes = bytes;
        this.dtype = Optional.ofNullable(dtype);
    }

    /** Size of one element in bytes. */
    public int bytes() {
        return bytes;
    }

    /** The IR's type with the same bits, if there is one. */
    public Optional<DType> dtype() {
        return dtype;
    }

    /** @throws IllegalArgumentException for {@link DType#SEED}, which occupies no storage */
    public static StoredType of(DType dtype) {
        for (StoredType type : values()) {
            if (type.dtype.isPresent() && type.dtype.get() == dtype) {
                return type;
            }
        }
        throw new IllegalArgumentException(dtype + " is never stored");
    }

    static Optional<StoredType> ofName(String name) {
        for (StoredType type : values()) {
            if (type.name().equals(name)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }
}
