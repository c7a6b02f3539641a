package dev.remat.compiler.builtin;

import static dev.remat.compiler.builtin.ElementwiseFunctions.tensor;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Draw;
import java.util.List;

/** Tensors of random numbers, drawn anew in every step, and in evaluation as well. */
public final class RandomFunctions {
    private RandomFunctions() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "rand",
                        "shape: ints, low: float = 0.0, high: float = 1.0, dtype: dtype = f32",
                        "Uniform random numbers on [`low`, `high`).",
                        (args, out) -> tensor(uniform(type(args), args, out))),
                Builtin.function(
                        "rand_like",
                        "x: tensor, low: float = 0.0, high: float = 1.0",
                        "The same in the type of `x`.",
                        (args, out) -> tensor(uniform(out.type(args.tensor("x")), args, out))),
                Builtin.function(
                        "randn",
                        "shape: ints, mean: float = 0.0, std: float = 1.0, dtype: dtype = f32",
                        "Normal random numbers.",
                        (args, out) -> tensor(normal(type(args), args, out))),
                Builtin.function(
                        "randn_like",
                        "x: tensor, mean: float = 0.0, std: float = 1.0",
                        "The same in the type of `x`.",
                        (args, out) -> tensor(normal(out.type(args.tensor("x")), args, out))),
                Builtin.function(
                        "randint",
                        "low: int, high: int, shape: ints, dtype: dtype = i32",
                        "Random integers from `low` to below `high`.",
                        RandomFunctions::integers),
                Builtin.function(
                        "bernoulli",
                        "p: operand, shape: ints = none, dtype: dtype = f32",
                        "1 with probability `p`, else 0; of the type of `p` if that is a tensor. Without gradient.",
                        RandomFunctions::bernoulli));
    }

    private static TensorType type(Arguments args) {
        return new TensorType(args.dtype("dtype"), args.shape("shape"));
    }

    private static ValueId uniform(TensorType type, Arguments args, Emission out) {
        double low = args.real("low");
        double high = args.real("high");
        if (!(low <= high)) {
            throw new SemanticError("E0306", "no numbers to draw from " + low + " to below " + high);
        }
        ValueId unit = drawn(Draw.Kind.UNIFORM, type, out);
        ValueId placed = placed(unit, high - low, low, out);
        // The product and the sum may round up to the end that does not belong to the interval.
        return placed.equals(unit) || low == high
                ? placed
                : out.clamp(placed, Double.NEGATIVE_INFINITY, below(high, type.dtype()));
    }

    /** The greatest number below {@code high} that the floating dtype holds, subnormal ones aside. */
    private static double below(double high, DType dtype) {
        int digits = dtype == DType.F64 ? 53 : dtype == DType.F32 ? 24 : dtype == DType.F16 ? 11 : 8;
        int least = dtype == DType.F64 ? Double.MIN_EXPONENT : dtype == DType.F16 ? -14 : Float.MIN_EXPONENT;
        double step = Math.scalb(1.0, Math.max(Math.getExponent(Math.nextDown(high)), least) - digits + 1);
        return high == 0 ? -Math.scalb(1.0, least) : Math.ceil(high / step) * step - step;
    }

    private static ValueId normal(TensorType type, Arguments args, Emission out) {
        return placed(drawn(Draw.Kind.NORMAL, type, out), args.real("std"), args.real("mean"), out);
    }

    private static ValueId drawn(Draw.Kind kind, TensorType type, Emission out) {
        if (!type.dtype().isFloat()) {
            throw new SemanticError(
                    "E0302",
                    "these random numbers are floating point, not "
                            + type.dtype().label(),
                    "randint draws integers");
        }
        return out.draw(kind, 0, type);
    }

    /** {@code factor·x + offset}. */
    private static ValueId placed(ValueId x, double factor, double offset, Emission out) {
        ValueId scaled = factor == 1 ? x : out.scale(x, factor);
        return offset == 0 ? scaled : out.add(scaled, out.filled(offset, out.type(x)));
    }

    private static Datum integers(Arguments args, Emission out) {
        long low = args.integer("low");
        long high = args.integer("high");
        TensorType type = type(args);
        if (!type.dtype().isInteger()) {
            throw new SemanticError(
                    "E0302", "randint draws integers, not " + type.dtype().label());
        }
        boolean fits = type.dtype() == DType.I64 || low == (int) low && high - 1 == (int) (high - 1);
        if (high <= low || high - low > 1L << 31 || high - low < 0 || !fits) {
            throw new SemanticError(
                    "E0306", "no integers of " + type.dtype().label() + " to draw from " + low + " to below " + high);
        }
        ValueId drawn = out.draw(Draw.Kind.INTEGER, high - low, type);
        return tensor(low == 0 ? drawn : out.add(drawn, out.filled(low, type)));
    }

    private static Datum bernoulli(Arguments args, Emission out) {
        if (args.any("p") instanceof Datum.Tensor p) {
            return tensor(decided(p.id(), out.type(p.id()), out));
        }
        double p = args.real("p");
        if (!(p >= 0 && p <= 1)) {
            throw new SemanticError("E0306", "a probability of " + p + " is not from 0 to 1");
        }
        if (!args.isGiven("shape")) {
            throw new SemanticError("E0203", "'bernoulli' of a number misses its argument 'shape'");
        }
        TensorType real = new TensorType(DType.F32, args.shape("shape"));
        return tensor(out.cast(decided(out.filled(p, real), real, out), args.dtype("dtype")));
    }

    private static ValueId decided(ValueId p, TensorType type, Emission out) {
        ValueId below = out.apply(new Compare(Compare.Kind.LT), drawn(Draw.Kind.UNIFORM, type, out), p);
        return out.cast(below, type.dtype());
    }
}
