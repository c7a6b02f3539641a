package dev.remat.compiler.onnx.statement;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Expressions of the language with the types that they have. Axes count from 0, or from -1 at the end. */
public final class Expressions {
    private final Body body;
    private final Symbols symbols;

    public Expressions(Body body, Symbols symbols) {
        this.body = body;
        this.symbols = symbols;
    }

    public Body body() {
        return body;
    }

    public Symbols symbols() {
        return symbols;
    }

    /** A call of a builtin: tensors, then what {@link Literals} writes. */
    public Tensor call(String function, TensorType type, Object... arguments) {
        return Tensor.of(type, spelling(function, arguments));
    }

    /** The call alone, of what returns several values. */
    public Spelling spelling(String function, Object... arguments) {
        return Literals.call(
                function,
                Arrays.stream(arguments)
                        .map(each -> each instanceof Tensor tensor ? body.spell(tensor) : Literals.of(each))
                        .toList());
    }

    /** Several values at once. */
    public List<Tensor> tuple(Spelling call, List<TensorType> types) {
        return body.bindTuple(call, types);
    }

    public static Spelling named(String name, Object value) {
        return Literals.named(name, value);
    }

    /** Keeps a value that is read several times under a name. */
    public Tensor let(Tensor value) {
        return body.bind(value);
    }

    /** A function of each element. */
    public Tensor unary(String function, Tensor x, Object... more) {
        Object[] arguments = new Object[more.length + 1];
        arguments[0] = x;
        System.arraycopy(more, 0, arguments, 1, more.length);
        return call(function, x.type(), arguments);
    }

    public Tensor negative(Tensor x) {
        Spelling inner = body.spell(x);
        return Tensor.of(x.type(), new Spelling("-" + inner.within(Spelling.POWER), Spelling.NEGATE, inner.reads()));
    }

    public Tensor not(Tensor x) {
        Spelling inner = body.spell(x);
        return Tensor.of(x.type(), new Spelling("not " + inner.within(Spelling.ATOM), Spelling.NOT, inner.reads()));
    }

    /** {@code x + y} and the like; operands repeat as NumPy's do. */
    public Tensor infix(String operator, Tensor a, Tensor b) {
        int level = switch (operator) {
            case "+", "-" -> Spelling.ADD;
            case "*", "/", "%" -> Spelling.MULTIPLY;
            case "**" -> Spelling.POWER;
            case "and" -> Spelling.AND;
            case "or" -> Spelling.OR;
            default -> Spelling.COMPARE;
        };
        Spelling left = operand(a, b);
        Spelling right = operand(b, a);
        TensorType type = new TensorType(
                level == Spelling.COMPARE ? DType.BOOL : tensorOf(a, b).dtype(), broadcast(a, b));
        if (level != Spelling.POWER && level != Spelling.COMPARE) {
            return Tensor.of(type, Spelling.infix(left, operator, right, level));
        }
        return Tensor.of(
                type,
                new Spelling(
                        left.within(level + 1) + " " + operator + " " + right.within(level + 1),
                        level,
                        Spelling.joined(List.of(left, right))));
    }

    /** The operand whose dtype counts: a number takes the type of the tensor beside it. */
    private static Tensor tensorOf(Tensor a, Tensor b) {
        return a.isConstant() ? b : a;
    }

    /** How an operand stands beside another one: a lone number as such, unless both are. */
    private Spelling operand(Tensor value, Tensor other) {
        boolean isNumber = value.constant().isPresent()
                && value.spelling().isEmpty()
                && value.constant().get().size() == 1
                && value.rank() <= other.rank()
                && value.dtype() != DType.BOOL
                && value.constant().get().isNumeric()
                && !value.isWeight();
        boolean otherIsTensor = other.constant().isEmpty() || other.spelling().isPresent();
        return isNumber && otherIsTensor ? Literals.number(value.constant().orElseThrow(), 0) : body.spell(value);
    }

    /** {@code min(a, b)} and the like. */
    public Tensor binary(String function, Tensor a, Tensor b) {
        return Tensor.of(
                new TensorType(tensorOf(a, b).dtype(), broadcast(a, b)),
                Literals.call(function, List.of(operand(a, b), operand(b, a))));
    }

    public Tensor where(Tensor condition, Tensor a, Tensor b) {
        Shape shape = broadcast(condition.type().shape(), broadcast(a, b));
        return Tensor.of(
                new TensorType(a.dtype(), shape),
                Literals.call("where", List.of(body.spell(condition), operand(a, b), operand(b, a))));
    }

    public Shape broadcast(Tensor a, Tensor b) {
        return broadcast(a.type().shape(), b.type().shape());
    }

    /** The shape that both repeat to. */
    public Shape broadcast(Shape a, Shape b) {
        int rank = Math.max(a.rank(), b.rank());
        List<Dim> dims = new ArrayList<>();
        for (int axis = 0; axis < rank; axis++) {
            int inA = axis - rank + a.rank();
            int inB = axis - rank + b.rank();
            dims.add(symbols.broadcast(inA < 0 ? Dim.ONE : a.dim(inA), inB < 0 ? Dim.ONE : b.dim(inB)));
        }
        return new Shape(dims);
    }

    /** A lone number beside tensors of a dtype. */
    public Tensor number(DType dtype, double value) {
        return Tensor.of(
                dtype.isFloat()
                        ? Constant.reals(dtype, List.of(), List.of(value))
                        : Constant.integers(dtype, List.of(), List.of(Dim.of((long) value))));
    }

    public Tensor integer(DType dtype, Dim value) {
        return Tensor.of(Constant.integers(dtype, List.of(), List.of(value)));
    }

    public Tensor cast(Tensor x, DType dtype) {
        if (x.dtype() == dtype) {
            return x;
        }
        if (x.isFoldable()) {
            return Tensor.of(x.constant().get().cast(dtype));
        }
        return call("cast", x.type().with(dtype), x, dtype);
    }

    public Tensor reshape(Tensor x, List<Dim> dims) {
        if (x.dims().equals(dims)) {
            return x;
        }
        if (x.isFoldable() && dims.stream().allMatch(Dim::isConstant)) {
            return Tensor.of(
                    x.constant().get().reshaped(dims.stream().map(Dim::value).toList()));
        }
        return call("reshape", x.type().with(new Shape(dims)), x, dims);
    }

    public Tensor permute(Tensor x, List<Integer> axes) {
        if (axes.equals(IntStream.range(0, x.rank()).boxed().toList())) {
            return x;
        }
        Shape shape = new Shape(axes.stream().map(x::dim).toList());
        List<Integer> moved = IntStream.range(0, x.rank())
                .filter(axis -> axes.get(axis) != axis)
                .boxed()
                .toList();
        if (moved.size() == 2) {
            int a = moved.get(0);
            int b = moved.get(1);
            return a == x.rank() - 2
                    ? call("transpose", x.type().with(shape), x)
                    : call("transpose", x.type().with(shape), x, a, b);
        }
        return call("permute", x.type().with(shape), x, axes);
    }

    /** Puts an axis elsewhere; the others keep their order. */
    public Tensor move(Tensor x, int from, int to) {
        List<Integer> axes =
                new ArrayList<>(IntStream.range(0, x.rank()).boxed().toList());
        int at = from < 0 ? from + x.rank() : from;
        Integer moved = axes.get(at);
        axes.subList(at, at + 1).clear();
        axes.add(to < 0 ? to + x.rank() : to, moved);
        return permute(x, axes);
    }

    public Tensor unsqueeze(Tensor x, int axis) {
        List<Dim> dims = new ArrayList<>(x.dims());
        dims.add(axis, Dim.ONE);
        return x.isFoldable() ? reshape(x, dims) : call("unsqueeze", x.type().with(new Shape(dims)), x, axis);
    }

    public Tensor squeeze(Tensor x, int axis) {
        List<Dim> dims = new ArrayList<>(x.dims());
        dims.remove(axis);
        return x.isFoldable() ? reshape(x, dims) : call("squeeze", x.type().with(new Shape(dims)), x, axis);
    }

    public Tensor broadcast(Tensor x, Shape shape) {
        if (x.isFoldable() && x.constant().get().size() == 1) {
            return full(shape.dims(), x.constant().get());
        }
        return x.type().shape().equals(shape) ? x : call("broadcast", x.type().with(shape), x, shape.dims());
    }

    /** One number everywhere. */
    public Tensor full(List<Dim> dims, Constant number) {
        return Tensor.of(new TensorType(number.dtype(), new Shape(dims)), Literals.full(dims, number));
    }

    /** Elements from {@code start} up to {@code end} in steps of a positive number; bounds lie inside. */
    public Tensor slice(Tensor x, int axis, Dim start, Dim end, long step) {
        if (start.is(0) && end.equals(x.dim(axis)) && step == 1) {
            return x;
        }
        Dim size = end.minus(start).plus(step - 1).floorDiv(step);
        List<Object> arguments = new ArrayList<>(List.of(x, start, end, named("axis", axis)));
        if (step != 1) {
            arguments.add(named("step", step));
        }
        return call("slice", x.type().with(x.type().shape().with(axis, size)), arguments.toArray());
    }

    public Tensor flip(Tensor x, int axis) {
        return call("flip", x.type(), x, axis);
    }

    public Tensor concat(List<Tensor> parts, int axis) {
        if (parts.size() == 1) {
            return parts.getFirst();
        }
        Tensor first = parts.getFirst();
        List<Dim> dims = new ArrayList<>(first.dims());
        for (Tensor part : parts.subList(1, parts.size())) {
            for (int i = 0; i < dims.size(); i++) {
                dims.set(i, i == axis ? dims.get(i).plus(part.dim(i)) : symbols.join(dims.get(i), part.dim(i)));
            }
        }
        Spelling list = Literals.list(parts.stream().map(body::spell).toList());
        return call("concat", first.type().with(new Shape(dims)), list, named("axis", axis));
    }

    /** A sum or another reduction. */
    public Tensor reduce(String function, Tensor x, List<Integer> axes, boolean keep) {
        List<Integer> sorted = axes.stream().sorted().toList();
        List<Dim> dims = new ArrayList<>();
        for (int axis = 0; axis < x.rank(); axis++) {
            if (!sorted.contains(axis)) {
                dims.add(x.dim(axis));
            } else if (keep) {
                dims.add(Dim.ONE);
            }
        }
        List<Object> arguments = new ArrayList<>(List.of(x));
        if (sorted.size() < x.rank() || keep) {
            arguments.add(named("axis", sorted.size() == 1 ? sorted.getFirst() : sorted));
        }
        if (keep) {
            arguments.add(named("keepdim", true));
        }
        return call(function, x.type().with(new Shape(dims)), arguments.toArray());
    }

    /** A matrix product of tensors of at least two axes. */
    public Tensor matmul(Tensor a, Tensor b) {
        symbols.join(a.dim(-1), b.dim(-2));
        Shape batch = broadcast(outer(a), outer(b));
        List<Dim> dims = new ArrayList<>(batch.dims());
        dims.add(a.dim(-2));
        dims.add(b.dim(-1));
        Spelling left = body.spell(a);
        Spelling right = body.spell(b);
        return Tensor.of(a.type().with(new Shape(dims)), Spelling.infix(left, "@", right, Spelling.MULTIPLY));
    }

    private static Shape outer(Tensor x) {
        return new Shape(x.dims().subList(0, x.rank() - 2));
    }

    /** The product of extents. */
    public static Dim product(List<Dim> dims) {
        return dims.stream().reduce(Dim.ONE, Dim::times);
    }
}
