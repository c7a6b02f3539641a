package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Extents as tensors of i64: numbers, or calculated from the shapes of inputs where symbols are left. */
final class RuntimeExtents implements Dim.Arithmetic<String> {
    /** An axis of an input that is a symbol and nothing else. */
    record Axis(String input, int axis) {}

    private final OnnxGraph out;
    private final Map<String, Axis> symbols;
    private final Map<String, String> known = new LinkedHashMap<>();

    /** @param symbols where each is found, by name */
    RuntimeExtents(OnnxGraph out, Map<String, Axis> symbols) {
        this.out = out;
        this.symbols = symbols;
    }

    private String once(String what, Supplier<String> making) {
        String made = known.get(what);
        if (made == null) {
            made = making.get();
            known.put(what, made);
        }
        return made;
    }

    /** A row of them. */
    String row(List<Dim> dims) {
        if (dims.stream().allMatch(Dim::isConstant)) {
            return out.row(dims.stream().map(Dim::value).toList());
        }
        return dims.size() == 1
                ? one(dims.getFirst())
                : once(dims.toString(), () -> {
                    List<String> parts = new ArrayList<>();
                    dims.forEach(dim -> parts.add(one(dim)));
                    return out.add("", "Concat", parts, Attribute.of("axis", 0));
                });
    }

    /** A row of one. */
    private String one(Dim dim) {
        return once(dim.toString(), () -> dim.calculate(this));
    }

    /** A number without axes. */
    String scalar(Dim dim) {
        return dim.isConstant()
                ? out.scalar(DType.I64, dim.value())
                : once("scalar " + dim, () -> out.add("", "Squeeze", List.of(one(dim), out.row(0))));
    }

    /** The numbers from 0 to below an extent. */
    String range(Dim dim) {
        return once(
                "range " + dim,
                () -> out.add("", "Range", List.of(out.scalar(DType.I64, 0), scalar(dim), out.scalar(DType.I64, 1))));
    }

    /** Whether a query, a row, attends to a key, a column: to those up to and with its own number. */
    String causal(Dim queries, Dim keys) {
        return once("causal " + queries + " " + keys, () -> {
            String rows = out.add("", "Unsqueeze", List.of(range(queries), out.row(1)));
            return out.add("", "GreaterOrEqual", List.of(rows, range(keys)));
        });
    }

    @Override
    public String number(long value) {
        return out.row(value);
    }

    @Override
    public String symbol(String name) {
        Axis axis = symbols.get(name);
        if (axis == null) {
            throw new NotInOnnxException(
                    "E0802",
                    "needs the extent " + name + ", which no input that is left has",
                    "bind it, such as --set " + name + "=64");
        }
        return once(
                "symbol " + name,
                () -> out.add(
                        "",
                        "Shape",
                        List.of(axis.input()),
                        Attribute.of("start", axis.axis()),
                        Attribute.of("end", axis.axis() + 1)));
    }

    @Override
    public String sum(String a, String b) {
        return out.add("", "Add", List.of(a, b));
    }

    @Override
    public String product(String a, String b) {
        return out.add("", "Mul", List.of(a, b));
    }

    /** Quotients of ONNX are cut towards 0: the rest, which is not negative, is taken off first. */
    @Override
    public String floorDiv(String a, long divisor) {
        String rest = out.add("", "Mod", List.of(a, out.row(divisor)));
        return out.add("", "Div", List.of(out.add("", "Sub", List.of(a, rest)), out.row(divisor)));
    }
}
