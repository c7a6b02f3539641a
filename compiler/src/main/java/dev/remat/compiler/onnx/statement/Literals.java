package dev.remat.compiler.onnx.statement;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** How numbers, lists and calls are written. */
public final class Literals {
    private Literals() {}

    /** One number of a constant. */
    public static Spelling number(Constant constant, int index) {
        return constant.dtype().isFloat()
                ? real(constant.dtype(), constant.reals().get(index))
                : constant.dtype() == DType.BOOL
                        ? Spelling.literal(constant.integers().get(index).is(0) ? "false" : "true")
                        : dim(constant.integers().get(index));
    }

    /** A number of a dtype, as short as it can be. */
    public static Spelling real(DType dtype, double value) {
        if (Double.isNaN(value)) {
            return new Spelling("inf - inf", Spelling.ADD, List.of());
        }
        if (Double.isInfinite(value)) {
            return Spelling.literal(value > 0 ? "inf" : "-inf");
        }
        String text = dtype == DType.F64 ? Double.toString(value) : Float.toString((float) value);
        return Spelling.literal(text.replace("E", "e").replaceAll("\\.0(?=e)", ""));
    }

    /** An extent. */
    public static Spelling dim(Dim dim) {
        String text = dim.toString();
        boolean isAtom = text.matches("\\w+");
        return new Spelling(
                text.matches("-\\d+") ? text : text.replace("*", " * ").replaceAll("(?<=.)([+-])", " $1 "),
                isAtom ? Spelling.ATOM : text.matches("-\\d+") ? Spelling.NEGATE : Spelling.ADD,
                List.of());
    }

    /** A list of numbers or of expressions. */
    public static Spelling list(List<?> elements) {
        List<Spelling> parts = elements.stream().map(Literals::of).toList();
        return new Spelling(
                parts.stream().map(Spelling::text).collect(Collectors.joining(", ", "[", "]")),
                Spelling.ATOM,
                Spelling.joined(parts));
    }

    /** Whatever a call may be given that is no tensor. */
    static Spelling of(Object value) {
        return switch (value) {
            case Spelling spelling -> spelling;
            case Dim dim -> dim(dim);
            case Double number -> real(DType.F64, number);
            case Float number -> real(DType.F32, number);
            case DType dtype -> Spelling.literal(dtype.label());
            case String text -> Spelling.literal('"' + text + '"');
            case List<?> list -> list(list);
            default -> Spelling.literal(value.toString());
        };
    }

    /** An argument by name. */
    public static Spelling named(String name, Object value) {
        Spelling spelling = of(value);
        return new Spelling(name + " = " + spelling.text(), Spelling.OR, spelling.reads());
    }

    public static Spelling call(String function, List<Spelling> arguments) {
        return new Spelling(
                arguments.stream().map(Spelling::text).collect(Collectors.joining(", ", function + "(", ")")),
                Spelling.ATOM,
                Spelling.joined(arguments));
    }

    /** The first number of a constant, repeated to a shape. */
    static Spelling full(List<?> shape, Constant constant) {
        Spelling dtype = named("dtype", constant.dtype());
        if (constant.dtype() == DType.BOOL) {
            return call(constant.integers().getFirst().is(0) ? "zeros" : "ones", List.of(list(shape), dtype));
        }
        return call("full", List.of(list(shape), number(constant, 0), dtype));
    }

    /** Integers at equal distances, if they are. */
    static Optional<Spelling> sequence(Constant constant) {
        if (!constant.dtype().isInteger() || constant.size() < 2) {
            return Optional.empty();
        }
        long first = constant.integers().getFirst().value();
        long step = constant.integers().get(1).value() - first;
        for (int i = 0; i < constant.size(); i++) {
            if (constant.integers().get(i).value() != first + i * step) {
                return Optional.empty();
            }
        }
        Spelling row = arange(of(first), of(first + constant.size() * step), of(step), constant.dtype());
        return Optional.of(constant.shape().size() == 1 ? row : call("reshape", List.of(row, list(constant.shape()))));
    }

    /** Numbers at equal distances, from 0 and of f32 unless told otherwise. */
    public static Spelling arange(Spelling first, Spelling end, Spelling step, DType dtype) {
        List<Spelling> arguments = new ArrayList<>();
        boolean isByOne = step.text().equals("1");
        if (!isByOne || !first.text().equals("0")) {
            arguments.add(first);
        }
        arguments.add(end);
        if (!isByOne) {
            arguments.add(step);
        }
        if (dtype != DType.F32) {
            arguments.add(named("dtype", dtype));
        }
        return call("arange", arguments);
    }

    /** A list of lists of numbers. */
    static Spelling tensor(Constant constant) {
        return call("tensor", List.of(nested(constant, 0, 0, constant.size()), named("dtype", constant.dtype())));
    }

    private static Spelling nested(Constant constant, int axis, int begin, int count) {
        if (axis == constant.shape().size()) {
            return number(constant, begin);
        }
        int parts = Math.toIntExact(constant.shape().get(axis));
        List<Spelling> elements = new ArrayList<>();
        for (int i = 0; i < parts; i++) {
            int size = count / parts;
            elements.add(nested(constant, axis + 1, begin + i * size, size));
        }
        return list(elements);
    }
}
