package dev.remat.ir.artifact;

import java.util.Locale;

/** Type of one kernel parameter; every argument travels in a slot of 64 bits, little-endian, zero-extended. */
public enum ParameterType {
    /** An address; its slot holds a byte offset in the arena, or {@link #NULL} for the null pointer. */
    POINTER("void*", 8),
    U32("unsigned int", 4),
    I32("int", 4),
    U64("unsigned long long", 8),
    I64("long long", 8),
    F32("float", 4),
    F64("double", 8);

    /** The slot of a null pointer. */
    public static final long NULL = -1;

    private final String c;
    private final int bytes;

    ParameterType(String c, int bytes) {
        this.c = c;
        this.bytes = bytes;
    }

    /** The spelling in CUDA C++; a pointer's pointee is not told. */
    public String c() {
        return c;
    }

    /** Bytes that a kernel receives: the low bytes of the slot. */
    public int bytes() {
        return bytes;
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
