package dev.remat.ir.artifact;

import java.util.Locale;

/** Type of one kernel parameter; every argument travels in a slot of 64 bits, little-endian, zero-extended. */
public enum ParameterType {
    /** An address; its slot holds a byte offset in the arena, or {@link #NULL} for the null pointer. */
    POINTER(8),
    U32(4),
    I32(4),
    U64(8),
    I64(8),
    F32(4),
    F64(8);

    /** The slot of a null pointer. */
    public static final long NULL = -1;

    /** That a kernel receives: the low bytes of the slot. */
    private final int bytes;

    ParameterType(int bytes) {
        this.bytes = bytes;
    }

    /** {@code f32}, as in a manifest. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The type with this label.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static ParameterType ofLabel(String label) {
        for (ParameterType type : values()) {
            if (type.label().equals(label)) {
                return type;
            }
        }
        throw new IllegalArgumentException("no kernel parameter is of type \"" + label + "\"");
    }

    /** Whether {@code slot} is an argument of this type: no bit set above what the kernel receives. */
    public boolean holds(long slot) {
        return bytes == 8 || slot >>> 32 == 0;
    }
}
