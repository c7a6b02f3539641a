package dev.remat.compiler.builtin.layer;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Emission;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Tensors;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Spread and length of the numbers along axes. */
public final class VectorFunctions {
    private static final String AXES = "axis: ints = none, ";

    private VectorFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "var",
                        "x: tensor, " + AXES + "correction: int = 1, keepdim: bool = false",
                        "Variance over `axis`: squared deviations from the mean, summed and divided by their number"
                                + " less `correction`.",
                        (args, out) -> shaped(variance(args, out), args, out)),
                Builtin.function(
                        "std",
                        "x: tensor, " + AXES + "correction: int = 1, keepdim: bool = false",
                        "Standard deviation over `axis`, the root of `var`; its gradient is 0 where that is 0.",
                        (args, out) -> {
                            ValueId root = Norms.apartFromZero(
                                    variance(args, out), each -> out.unary(Unary.Kind.SQRT, each), out);
                            return shaped(root, args, out);
                        }),
                Builtin.function(
                        "logsumexp",
                        "x: tensor, " + AXES + "keepdim: bool = false",
                        "log(Σ eˣ) over `axis`, which no large `x` carries beyond what numbers hold.",
                        (args, out) -> shaped(logSumExp(args, out), args, out)),
                Builtin.function(
                        "norm",
                        "x: tensor, p: float = 2.0, " + AXES + "keepdim: bool = false",
                        "(Σ|x|ᵖ)^(1/p) over `axis`; the number of elements that are not 0 for `p` = 0.",
                        (args, out) -> {
                            ValueId x = args.tensor("x");
                            return shaped(Norms.of(x, args.real("p"), axes(args, out), out), args, out);
                        }),
                Builtin.function(
                        "normalize",
                        "x: tensor, p: float = 2.0, axis: int = 1, eps: float = 1e-12",
                        "`x` divided by its norm along `axis`, which counts as `eps` at least.",
                        (args, out) -> {
                            TensorType type = out.type(args.tensor("x"));
                            ValueId x = Tensors.wide(args.tensor("x"), out);
                            List<Integer> axis = List.of(args.axis("axis", type.rank()));
                            ValueId norm = out.clamp(
                                    Norms.of(x, args.real("p"), axis, out), args.real("eps"), Double.POSITIVE_INFINITY);
                            return tensor(out.cast(out.div(x, out.expand(norm, type.shape())), type.dtype()));
                        }),
                Builtin.function(
                        "cdist",
                        "x: tensor, y: tensor, p: float = 2.0",
                        "Norm of the difference of every row of `x` [.., P, M] and every row of `y` [.., R, M],"
                                + " [.., P, R].",
                        VectorFunctions::distances),
                Builtin.function("dot", "x: tensor, y: tensor", "Σ x·y of two vectors.", (args, out) -> {
                    vectors("dot", args, out);
                    ValueId products = Tensors.binary(Binary.Kind.MUL, args.any("x"), args.any("y"), out);
                    return tensor(Tensors.total(Reduce.Kind.SUM, products, out));
                }),
                Builtin.function("outer", "x: tensor, y: tensor", "x[i]·y[j] of two vectors.", (args, out) -> {
                    vectors("outer", args, out);
                    Dim rows = out.type(args.tensor("x")).dim(0);
                    ValueId column = out.reshape(args.tensor("x"), new Shape(List.of(rows, Dim.ONE)));
                    return tensor(Tensors.binary(Binary.Kind.MUL, tensor(column), args.any("y"), out));
                }));
    }

    private static Datum distances(Arguments args, Emission out) {
        TensorType x = out.type(args.tensor("x"));
        TensorType y = out.type(args.tensor("y"));
        if (x.rank() < 2 || y.rank() < 2 || !x.dim(x.rank() - 1).equals(y.dim(y.rank() - 1))) {
            throw new SemanticError("E0301", "cdist takes rows of one length, got " + x + " and " + y);
        }
        ValueId rows = out.reshape(args.tensor("x"), withOne(x, x.rank() - 1));
        ValueId others = out.reshape(args.tensor("y"), withOne(y, y.rank() - 2));
        ValueId difference = Tensors.binary(Binary.Kind.SUB, tensor(rows), tensor(others), out);
        List<Integer> last = List.of(out.type(difference).rank() - 1);
        return tensor(Tensors.dropped(Norms.of(difference, args.real("p"), last, out), last, out));
    }

    private static Shape withOne(TensorType type, int axis) {
        List<Dim> dims = new ArrayList<>(type.shape().dims());
        dims.add(axis, Dim.ONE);
        return new Shape(dims);
    }

    private static void vectors(String name, Arguments args, Emission out) {
        TensorType x = Tensors.ranked(name, out.type(args.tensor("x")), 1);
        TensorType y = Tensors.ranked(name, out.type(args.tensor("y")), 1);
        if (name.equals("dot") && !x.shape().equals(y.shape())) {
            throw new SemanticError("E0301", "dot takes vectors of one length, got " + x + " and " + y);
        }
    }

    static List<Integer> axes(Arguments args, Emission out) {
        int rank = out.type(args.tensor("x")).rank();
        return args.isGiven("axis")
                ? args.axes("axis", rank)
                : IntStream.range(0, rank).boxed().toList();
    }

    /** Over the axes, which keep extent 1; of 16-bit floats in f32, since squares leave the range of f16 at 256. */
    private static ValueId variance(Arguments args, Emission out) {
        return out.cast(
                wideVariance(Tensors.wide(args.tensor("x"), out), args, out),
                out.type(args.tensor("x")).dtype());
    }

    private static ValueId wideVariance(ValueId x, Arguments args, Emission out) {
        TensorType type = out.type(x);
        List<Integer> axes = axes(args, out);
        long correction = args.integer("correction");
        ValueId mean = out.expand(out.apply(new Reduce(Reduce.Kind.MEAN, axes), x), type.shape());
        ValueId deviation = out.sub(x, mean);
        ValueId squares = out.mul(deviation, deviation);
        if (correction == 0) {
            return out.apply(new Reduce(Reduce.Kind.MEAN, axes), squares);
        }
        ValueId sum = out.sum(squares, axes);
        Shape counted = new Shape(axes.stream().map(type::dim).toList());
        // Counted in the graph where the extents are symbols.
        ValueId count = counted.isStatic()
                ? out.filled(Numbers.known(counted.elements()), out.type(sum))
                : out.expand(
                        Tensors.total(Reduce.Kind.SUM, out.filled(1, type.with(counted)), out),
                        out.type(sum).shape());
        ValueId positive = out.binary(Binary.Kind.MAX, out.plus(count, -correction), out.filled(0, out.type(sum)));
        return out.div(sum, positive);
    }

    /** Over the axes, which keep extent 1; the maximum is taken off before and added after. */
    private static ValueId logSumExp(Arguments args, Emission out) {
        ValueId x = out.stopGradient(args.tensor("x"));
        List<Integer> axes = axes(args, out);
        ValueId maximum = out.apply(new Reduce(Reduce.Kind.MAX, axes), x);
        // An infinite maximum is left where it is: infinities less infinities are no numbers.
        ValueId finite = out.compare(Compare.Kind.LT, out.unary(Unary.Kind.ABS, maximum), Double.POSITIVE_INFINITY);
        ValueId shift = out.select(finite, maximum, out.filled(0, out.type(maximum)));
        ValueId rest = out.sub(args.tensor("x"), out.expand(shift, out.type(x).shape()));
        return out.add(out.unary(Unary.Kind.LOG, out.sum(out.unary(Unary.Kind.EXP, rest), axes)), shift);
    }

    private static Datum shaped(ValueId reduced, Arguments args, Emission out) {
        return tensor(args.flag("keepdim") ? reduced : Tensors.dropped(reduced, axes(args, out), out));
    }
}
