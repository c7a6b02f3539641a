package dev.remat.ir;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Element type of a tensor. */
public enum DType {
    F32(4),
    BF16(2),
    F16(2),
    /** For gradient checks on the CPU. */
    F64(8),
    I32(4),
    I64(8),
    /** One byte, 0 or 1. */
    BOOL(1),
    /** The same, eight of them in a byte, the first one lowest: what a compiled step keeps of signs. */
    BIT(1),
    /** State of the random chain; folds to constants and occupies no storage. */
    SEED(0);

    private final int bytes;

    DType(int bytes) {
        this.bytes = bytes;
    }

    /** Size of one element in bytes; of bits, of the eight that are moved at once. */
    public int bytes() {
        return bytes;
    }

    /** Bytes that so many neighbours take up. */
    public long bytesOf(long elements) {
        return this == BIT ? Math.ceilDiv(elements, Byte.SIZE) : Math.multiplyExact(elements, bytes);
    }

    /** Neighbours that so many bytes hold. */
    public long elementsIn(long size) {
        return this == BIT ? Math.multiplyExact(size, Byte.SIZE) : size / bytes;
    }

    /** Whether models may name it. */
    public boolean isOfModels() {
        return this != BIT && this != SEED;
    }

    public boolean isFloat() {
        return this == F32 || this == BF16 || this == F16 || this == F64;
    }

    public boolean isInteger() {
        return this == I32 || this == I64;
    }

    /** The dtype in which sums of this one are accumulated: f32 for the 16-bit floats, else itself. */
    public DType accumulator() {
        return this == BF16 || this == F16 ? F32 : this;
    }

    /** As written in model files: {@code f32}, {@code bf16}, … */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The floating point dtype of a label. */
    public static Optional<DType> findFloat(String label) {
        return Arrays.stream(values())
                .filter(type -> type.isFloat() && type.label().equals(label))
                .findFirst();
    }

    /** @throws IllegalArgumentException if no dtype has this label */
    public static DType ofLabel(String label) {
        for (DType type : values()) {
            if (type.label().equals(label)) {
                return type;
            }
        }
        throw new IllegalArgumentException("unknown dtype " + label);
    }
}
