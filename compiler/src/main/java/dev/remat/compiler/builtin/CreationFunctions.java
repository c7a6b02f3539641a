package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.IndexMap;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Tensors that follow from hyper-parameters and extents. */
public final class CreationFunctions {
    private CreationFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "arange",
                        "start: float, end: float = none, step: float = 1, dtype: dtype = f32",
                        "The numbers from `start` up to but without `end` in steps of `step`; from 0 up to `start` if"
                                + " it is alone. Takes no memory.",
                        CreationFunctions::arange),
                Builtin.function(
                        "linspace",
                        "start: float, end: float, steps: int, dtype: dtype = f32",
                        "`steps` numbers at equal distances from `start` to `end`, both among them.",
                        CreationFunctions::linspace),
                Builtin.function(
                        "tensor",
                        "values: any, dtype: dtype = f32",
                        "A tensor of the listed numbers or bools, `tensor([[1, 2], [3, 4]])`.",
                        CreationFunctions::tensorOf),
                Builtin.function(
                        "eye",
                        "n: int, m: int = none, dtype: dtype = f32",
                        "Ones on the diagonal of [n, m], zeros elsewhere; `m` is `n` unless given.",
                        (args, out) -> {
                            Dim n = args.dim("n");
                            ValueId diagonal = out.apply(
                                    new Compare(Compare.Kind.EQ),
                                    grid(0, n, columns(args, n), out),
                                    grid(1, n, columns(args, n), out));
                            return tensor(out.cast(diagonal, args.dtype("dtype")));
                        }),
                Builtin.function(
                        "causal_mask",
                        "n: int, m: int = none",
                        "The bool mask [n, m] that is true where a query attends to a key that is not later, if the"
                            + " last query and the last key are each other's: query i sees keys 0 to i + m − n."
                            + " `attention(causal = true)` lets the first be each other's, as the mask `tril(ones([n,"
                            + " m])) > 0` does.",
                        (args, out) -> {
                            Dim n = args.dim("n");
                            Dim m = columns(args, n);
                            return tensor(band(n, m, m.minus(n), Compare.Kind.LE, out));
                        }),
                triangle(
                        "tril", Compare.Kind.LE, "`x` up to diagonal `diagonal` of its last two axes, zeros above it."),
                triangle(
                        "triu",
                        Compare.Kind.GE,
                        "`x` from diagonal `diagonal` of its last two axes on, zeros below it."),
                Builtin.function(
                        "zeros",
                        "shape: ints, dtype: dtype = f32",
                        "A tensor of zeros; where an initialiser is wanted, the one that starts at 0.",
                        (args, out) -> filled(0, args, out)),
                Builtin.function(
                        "ones",
                        "shape: ints, dtype: dtype = f32",
                        "A tensor of ones; where an initialiser is wanted, the one that starts at 1.",
                        (args, out) -> filled(1, args, out)),
                Builtin.function(
                        "full",
                        "shape: ints, value: operand, dtype: dtype = f32",
                        "A tensor of one repeated value; that of a tensor is repeated as it broadcasts, in its own"
                                + " dtype.",
                        (args, out) -> args.any("value") instanceof Datum.Tensor value
                                ? tensor(out.expand(value.id(), args.shape("shape")))
                                : filled(args.real("value"), args, out)),
                Builtin.function(
                        "zeros_like",
                        "x: tensor",
                        "Zeros of the type of `x`.",
                        (args, out) -> tensor(out.filled(0, out.type(args.tensor("x"))))),
                Builtin.function(
                        "ones_like",
                        "x: tensor",
                        "Ones of the type of `x`.",
                        (args, out) -> tensor(out.filled(1, out.type(args.tensor("x"))))),
                Builtin.function(
                        "full_like",
                        "x: tensor, value: float",
                        "One repeated value in the type of `x`.",
                        (args, out) -> tensor(Tensors.constant(args.any("value"), out.type(args.tensor("x")), out))));
    }

    private static Datum arange(Arguments args, Emission out) {
        boolean two = args.isGiven("end");
        Datum start = two ? args.any("start") : Datum.IntValue.of(0);
        Datum end = args.any(two ? "end" : "start");
        Datum step = args.any("step");
        double first = Numbers.real(start);
        double distance = Numbers.real(step);
        if (distance == 0) {
            throw new SemanticError("E0306", "arange takes a step that is not 0");
        }
        Dim length;
        if (start instanceof Datum.IntValue from
                && end instanceof Datum.IntValue to
                && step instanceof Datum.IntValue) {
            Dim span = to.value().minus(from.value()).times(distance < 0 ? -1 : 1);
            length = span.times(-1).floorDiv((long) Math.abs(distance)).times(-1);
        } else {
            length = Dim.of((long) Math.ceil((Numbers.real(end) - first) / distance));
        }
        return row(first, distance, length, args.dtype("dtype"), out);
    }

    private static Datum linspace(Arguments args, Emission out) {
        double start = args.real("start");
        long steps = args.integer("steps");
        double distance = steps == 1 ? 0 : (args.real("end") - start) / (steps - 1);
        return row(start, distance, Dim.of(steps), args.dtype("dtype"), out);
    }

    private static Datum row(double start, double step, Dim length, DType dtype, Emission out) {
        if (length.isConstant() && length.value() <= 0) {
            throw new SemanticError("E0306", "there are no numbers in this range");
        }
        boolean whole = start == Math.rint(start) && step == Math.rint(step);
        if (!dtype.isFloat() && !(dtype.isInteger() && whole)) {
            throw new SemanticError(
                    "E0302",
                    "numbers from " + start + " in steps of " + step + " are no values of " + dtype.label(),
                    "count in f32 and cast the tensor");
        }
        return tensor(
                out.apply(new Iota(start, step, IndexMap.ROW, new TensorType(dtype, new Shape(List.of(length))))));
    }

    private static Datum tensorOf(Arguments args, Emission out) {
        DType dtype = args.dtype("dtype");
        List<Double> values = new ArrayList<>();
        List<Dim> dims = new ArrayList<>();
        collect(args.any("values"), 0, dims, values);
        if (values.size() > Table.MOST_VALUES) {
            throw new SemanticError(
                    "E0305",
                    "a list of " + values.size() + " numbers; at most " + Table.MOST_VALUES,
                    "more is data: an input");
        }
        Shape shape = new Shape(dims);
        Optional<Double> unfit =
                values.stream().filter(value -> !Constant.suits(value, dtype)).findFirst();
        if (unfit.isPresent()) {
            throw new SemanticError("E0302", unfit.get() + " is no value of " + dtype.label());
        }
        ValueId row = out.apply(new Table(values, IndexMap.ROW, TensorType.of(dtype, values.size())));
        return tensor(out.reshape(row, shape));
    }

    /** Appends the numbers of a list, or of lists of equal lengths, and finds the extents of these. */
    private static void collect(Datum datum, int depth, List<Dim> dims, List<Double> values) {
        if (datum instanceof Datum.ListValue list) {
            int size = list.elements().size();
            if (dims.size() == depth && values.isEmpty()) {
                dims.add(Dim.of(size));
            }
            if (size == 0 || dims.size() <= depth || !dims.get(depth).is(size)) {
                throw new SemanticError("E0306", "tensor takes lists of equal lengths, none of them empty");
            }
            list.elements().forEach(element -> collect(element, depth + 1, dims, values));
            return;
        }
        if (dims.size() != depth) {
            throw new SemanticError("E0306", "tensor takes lists of equal depth");
        }
        if (datum instanceof Datum.BoolValue flag) {
            values.add(flag.value() ? 1.0 : 0.0);
        } else if (Numbers.isNumber(datum)) {
            values.add(Numbers.real(datum));
        } else {
            throw new SemanticError("E0302", "tensor takes numbers, not " + datum.kind());
        }
    }

    private static Dim columns(Arguments args, Dim rows) {
        return args.isGiven("m") ? args.dim("m") : rows;
    }

    /** The index along an axis of [n, m], for every element. */
    private static ValueId grid(int axis, Dim n, Dim m, Emission out) {
        TensorType type = new TensorType(DType.I32, new Shape(List.of(axis == 0 ? n : m)));
        ValueId index = out.apply(new Iota(0, 1, IndexMap.ROW, type));
        ValueId upright = axis == 0 ? out.reshape(index, new Shape(List.of(n, Dim.ONE))) : index;
        return out.expand(upright, new Shape(List.of(n, m)));
    }

    /** Whether column − row is in that relation to {@code diagonal}. */
    static ValueId band(Dim n, Dim m, Dim diagonal, Compare.Kind relation, Emission out) {
        ValueId rows = grid(0, n, m, out);
        if (diagonal.isConstant()) {
            if (!diagonal.is(0)) {
                rows = out.add(rows, out.filled(diagonal.value(), out.type(rows)));
            }
        } else {
            throw new SemanticError(
                    "E0304", "the diagonal " + diagonal + " is not known when the model is read", "give equal extents");
        }
        return out.apply(new Compare(relation), grid(1, n, m, out), rows);
    }

    private static Builtin triangle(String name, Compare.Kind relation, String summary) {
        return Builtin.function(name, "x: tensor, diagonal: int = 0", summary, (args, out) -> {
            ValueId x = args.tensor("x");
            TensorType type = out.type(x);
            if (type.rank() < 2) {
                throw new SemanticError("E0301", name + " takes tensors of rank 2 or more, got " + type);
            }
            Dim n = type.dim(type.rank() - 2);
            Dim m = type.dim(type.rank() - 1);
            ValueId kept = band(n, m, args.dim("diagonal"), relation, out);
            return tensor(out.select(out.expand(kept, type.shape()), x, out.filled(0, type)));
        });
    }

    private static Datum filled(double value, Arguments args, Emission out) {
        return tensor(out.filled(value, new TensorType(args.dtype("dtype"), args.shape("shape"))));
    }
}
