package dev.remat.codegen.cuda.emit;

import dev.remat.ir.DType;
import dev.remat.ir.execution.MemoryRead;
import java.util.List;

/**
 * How neighbouring elements of one operand are loaded.
 *
 * @param number of the operand
 * @param load statements that fill {@code x.r<number>} for V elements from {@code i}
 * @param scalar whether all elements are one
 * @param ofColumns whether it is loaded once for a thread's columns, as {@code columns.r<number>}
 */
record OperandAccess(int number, DType type, String load, boolean scalar, boolean ofColumns) {
    private OperandAccess(int number, DType type, String load, boolean scalar) {
        this(number, type, load, scalar, false);
    }

    OperandAccess onceForColumns() {
        return new OperandAccess(number, type, load, scalar, true);
    }

    static OperandAccess of(int number, MemoryRead read, IterationSpace space, AxisText axes, StructText struct) {
        DType type = read.dtype();
        String from = struct.member(
                "const " + CudaType.of(type) + "*", "p" + number, call -> call.input(type, read.address()));
        String to = "x.r" + number;
        if (space.isScalar(number)) {
            return new OperandAccess(number, type, to + ".at[0] = *" + from + ";\n", true);
        }
        if (type == DType.BIT) {
            return bits(number, from, space);
        }
        if (space.isDense(number)) {
            String load = choose(
                    alignedWidth(read.address(), List.of(), type),
                    to + " = load_pack<V>(" + from + " + i);\n",
                    lanes(to, from + "[i + l]"));
            return new OperandAccess(number, type, load, false);
        }
        String at = axes.offset(number);
        String apart = lanes(to, from + "[" + at + "(i + l)]");
        int row = dividing(space.innermost());
        if (row == 1) {
            return new OperandAccess(number, type, apart, false);
        }
        List<Long> strides = space.strides().get(number);
        long inner = strides.getLast();
        String base = "const " + CudaType.of(type) + "* const row = " + from + " + " + at + "(i);\n";
        String near;
        if (inner == 0) {
            near = base + "const " + CudaType.of(type) + " repeated = *row;\n" + lanes(to, "repeated");
        } else if (inner == 1) {
            int width = alignedWidth(read.address(), strides.subList(0, strides.size() - 1), type);
            near = base + choose(width, to + " = load_pack<V>(row);\n", lanes(to, "row[l]"));
        } else {
            near = base + lanes(to, "row[l * " + struct.index(inner) + "]");
        }
        return new OperandAccess(number, type, choose(row, near, apart), false);
    }

    /** Groups of neighbours begin where their number divides, so that their bits are in one byte. */
    private static OperandAccess bits(int number, String from, IterationSpace space) {
        if (!space.isDense(number)) {
            throw new IllegalStateException("bits that are read through strides");
        }
        String byteOf = "const u32 eight = " + from + "[i / 8] >> (i % 8);\n";
        return new OperandAccess(number, DType.BIT, byteOf + lanes("x.r" + number, "eight >> l & 1"), false);
    }

    /** The value on lane l, widened. */
    String lane() {
        return lane(ofColumns ? "columns" : "x");
    }

    /** The same where it is loaded. */
    String lane(String loaded) {
        return "wide(" + loaded + ".r" + number + ", " + (scalar ? "0" : "l") + ")";
    }

    String member() {
        return "Pack<" + CudaType.of(type) + ", " + (scalar ? "1" : "V") + "> r" + number + ";\n";
    }

    private static String choose(int most, String upTo, String beyond) {
        if (most >= 8) {
            return upTo;
        }
        if (most == 1) {
            return beyond;
        }
        return "if constexpr (V <= " + most + ") {\n" + upTo + "} else {\n" + beyond + "}\n";
    }

    private static String lanes(String to, String value) {
        return "for (int l = 0; l < V; l++) {\n" + to + ".at[l] = " + value + ";\n}\n";
    }

    /** Largest power of two up to 8 that divides {@code n}. */
    private static int dividing(long n) {
        return (int) Math.min(8, Long.lowestOneBit(n));
    }

    /** Most elements that may be moved at once from {@code address} and from any number of {@code strides} on. */
    static int alignedWidth(long address, List<Long> strides, DType type) {
        for (int width = 8; width > 1; width /= 2) {
            int bytes = Math.min(16, width * type.bytes());
            boolean aligned = address % bytes == 0;
            for (long stride : strides) {
                aligned &= stride * type.bytes() % bytes == 0;
            }
            if (aligned) {
                return width;
            }
        }
        return 1;
    }
}
