package dev.remat.runtime.io;

import dev.remat.ir.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.regex.Pattern;

/** A number as a table writes it: floats as a double, integers in their own type, as a double may not hold them. */
public final class NumberField {
    private static final Pattern REAL = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");
    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,19}");

    private NumberField() {}

    public static boolean isNumber(String field) {
        return REAL.matcher(field).matches();
    }

    /**
     * Reads a field for an input of a type.
     *
     * @throws IllegalArgumentException if it holds no such number; what is wrong goes on behind the column's name
     */
    public static Number parse(String field, DType type) {
        boolean whole = type.isInteger();
        if (field.isEmpty()) {
            throw new IllegalArgumentException("is empty");
        }
        if (!(whole ? WHOLE : REAL).matcher(field).matches()) {
            throw new IllegalArgumentException("has '" + field + "', which is no " + (whole ? "integer" : "number"));
        }
        try {
            if (!whole) {
                return Double.valueOf(field);
            }
            if (type.bytes() == Integer.BYTES) {
                return Integer.valueOf(field);
            }
            return Long.valueOf(field);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("has " + field + ", too large for " + type.label(), e);
        }
    }

    /** Writes what was read for an input of a type. */
    public static void put(Number value, DType type, MemorySegment target, long at) {
        switch (type) {
            case I32 -> target.set(ValueLayout.JAVA_INT_UNALIGNED, at, value.intValue());
            case I64 -> target.set(ValueLayout.JAVA_LONG_UNALIGNED, at, value.longValue());
            case F32, BF16, F16, F64, BOOL, BIT, SEED -> ElementConversion.put(value.doubleValue(), type, target, at);
        }
    }
}
