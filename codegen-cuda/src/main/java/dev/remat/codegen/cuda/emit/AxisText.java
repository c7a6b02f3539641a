package dev.remat.codegen.cuda.emit;

import java.util.ArrayList;
import java.util.List;

/** How an index falls into coordinates, and coordinates into the offsets of strided operands, as C++. */
final class AxisText {
    private final IterationSpace space;
    private final StructText struct;
    /** Names of extent and divisor of each axis but the outermost, innermost first; declared at first use. */
    private final List<String> extents = new ArrayList<>();

    private final List<String> divisors = new ArrayList<>();

    AxisText(IterationSpace space, StructText struct) {
        this.space = space;
        this.struct = struct;
    }

    private void declare() {
        if (!extents.isEmpty()) {
            return;
        }
        for (int axis = space.rank() - 1; axis > 0; axis--) {
            long extent = space.extents().get(axis);
            String name = struct.index(extent);
            extents.add(name);
            divisors.add(
                    struct.isNarrow()
                            ? struct.member("u64", name + "d", call -> call.u64(Divisor.magic(extent)))
                            : name);
        }
    }

    /** The expression, on lane l from index i on, of the number that operand {@code operand} is a function of. */
    String number(int operand, long offset) {
        String first = struct.member("i64", "o" + operand, call -> call.i64(offset));
        if (space.isScalar(operand)) {
            return first;
        }
        String at = space.isDense(operand) ? "i + l" : offset(operand) + "(i + l)";
        return "(" + first + " + static_cast<i64>(" + at + "))";
    }

    /**
     * A member function from an index to the offset of operand {@code operand}.
     *
     * @return its name
     */
    String offset(int operand) {
        declare();
        StringBuilder text = new StringBuilder();
        List<String> terms = new ArrayList<>();
        for (int fromInner = 0; fromInner < space.rank(); fromInner++) {
            long stride = space.strides().get(operand).get(space.rank() - 1 - fromInner);
            boolean outermost = fromInner == space.rank() - 1;
            if (!outermost) {
                String next = "i" + (fromInner + 1);
                text.append("const Index ")
                        .append(next)
                        .append(" = quotient(i")
                        .append(fromInner)
                        .append(", ")
                        .append(divisors.get(fromInner))
                        .append(");\n");
                if (stride != 0) {
                    String coordinate = "(i" + fromInner + " - " + next + " * " + extents.get(fromInner) + ")";
                    terms.add(stride == 1 ? coordinate : coordinate + " * " + struct.index(stride));
                }
            } else if (stride != 0) {
                terms.add(stride == 1 ? "i" + fromInner : "i" + fromInner + " * " + struct.index(stride));
            }
        }
        text.append("return ").append(String.join(" + ", terms)).append(";\n");
        String name = "at" + operand;
        struct.function("Index " + name + "(Index i0) const", text.toString());
        return name;
    }
}
