package dev.remat.compiler.builtin;

import dev.remat.ir.ErrorFunction;
import dev.remat.ir.RealFunctions;
import dev.remat.ir.op.Unary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/** Functions of one number, which may be every element of a tensor or a hyper-parameter. */
final class ScalarFunctions {
    private ScalarFunctions() {}

    static List<Builtin> table() {
        List<Builtin> table = new ArrayList<>();
        table.add(real("exp", Unary.Kind.EXP, Math::exp, "eˣ."));
        table.add(real("exp2", Unary.Kind.EXP2, x -> Math.pow(2, x), "2ˣ."));
        table.add(real("expm1", Unary.Kind.EXPM1, Math::expm1, "eˣ − 1, precise near 0."));
        table.add(real("log", Unary.Kind.LOG, Math::log, "Natural logarithm."));
        table.add(real("log2", Unary.Kind.LOG2, RealFunctions::log2, "Logarithm to base 2."));
        table.add(real("log10", Unary.Kind.LOG10, Math::log10, "Logarithm to base 10."));
        table.add(real("log1p", Unary.Kind.LOG1P, Math::log1p, "log(1 + x), precise near 0."));
        table.add(real("sqrt", Unary.Kind.SQRT, Math::sqrt, "Square root."));
        table.add(real("rsqrt", Unary.Kind.RSQRT, x -> 1 / Math.sqrt(x), "1/√x."));
        table.add(real("reciprocal", Unary.Kind.RECIPROCAL, x -> 1 / x, "1/x."));
        table.add(Builtin.function("square", "x: operand", "x².", ScalarFunctions::square));
        table.add(real("sin", Unary.Kind.SIN, Math::sin, "Sine of an angle in radians."));
        table.add(real("cos", Unary.Kind.COS, Math::cos, "Cosine."));
        table.add(real("tan", Unary.Kind.TAN, Math::tan, "Tangent."));
        table.add(real("asin", Unary.Kind.ASIN, Math::asin, "Inverse sine, from −π/2 to π/2."));
        table.add(real("acos", Unary.Kind.ACOS, Math::acos, "Inverse cosine, from 0 to π."));
        table.add(real("atan", Unary.Kind.ATAN, Math::atan, "Inverse tangent, from −π/2 to π/2."));
        table.add(real("sinh", Unary.Kind.SINH, Math::sinh, "Hyperbolic sine."));
        table.add(real("cosh", Unary.Kind.COSH, Math::cosh, "Hyperbolic cosine."));
        table.add(real("tanh", Unary.Kind.TANH, Math::tanh, "Hyperbolic tangent."));
        table.add(real("asinh", Unary.Kind.ASINH, RealFunctions::asinh, "Inverse hyperbolic sine."));
        table.add(real("acosh", Unary.Kind.ACOSH, RealFunctions::acosh, "Inverse hyperbolic cosine."));
        table.add(real("atanh", Unary.Kind.ATANH, x -> Math.log1p(2 * x / (1 - x)) / 2, "Inverse hyperbolic tangent."));
        table.add(real("erf", Unary.Kind.ERF, ErrorFunction::of, "Error function, 2/√π·∫exp(−t²)dt from 0 to x."));
        table.add(Builtin.function("abs", "x: operand", "Absolute value.", ScalarFunctions::abs));
        table.add(Builtin.function("sign", "x: operand", "−1, 0 or 1.", ScalarFunctions::sign));
        table.add(whole("floor", Unary.Kind.FLOOR, Math::floor, "Rounds down; a number to an integer."));
        table.add(whole("ceil", Unary.Kind.CEIL, Math::ceil, "Rounds up; a number to an integer."));
        table.add(
                whole("round", Unary.Kind.ROUND, Math::rint, "Rounds to the nearest integer, halves to the even one."));
        table.add(whole("trunc", Unary.Kind.TRUNC, x -> x < 0 ? Math.ceil(x) : Math.floor(x), "Rounds towards 0."));
        return table;
    }

    private static Builtin real(String name, Unary.Kind kind, DoubleUnaryOperator function, String summary) {
        return Builtin.function(
                name,
                "x: operand",
                summary,
                (args, out) -> args.any("x") instanceof Datum.Tensor x
                        ? new Datum.Tensor(out.unary(kind, x.id()))
                        : new Datum.FloatValue(function.applyAsDouble(args.real("x"))));
    }

    /** Gives tensors of the dtype of {@code x}, but integers of numbers. */
    private static Builtin whole(String name, Unary.Kind kind, DoubleUnaryOperator function, String summary) {
        return Builtin.function(name, "x: operand", summary + " Without gradient.", (args, out) -> switch (args.any(
                "x")) {
            case Datum.Tensor x -> new Datum.Tensor(out.unary(kind, x.id()));
            case Datum.IntValue x -> x;
            case Datum x -> Numbers.integer(function.applyAsDouble(Numbers.real(x)));
        });
    }

    private static Datum square(Arguments args, Emission out) {
        return args.any("x") instanceof Datum.Tensor x
                ? new Datum.Tensor(out.mul(x.id(), x.id()))
                : Numbers.multiply(args.any("x"), args.any("x"));
    }

    private static Datum abs(Arguments args, Emission out) {
        Datum x = args.any("x");
        if (x instanceof Datum.Tensor tensor) {
            return new Datum.Tensor(out.unary(Unary.Kind.ABS, tensor.id()));
        }
        return Numbers.compare(x, Datum.IntValue.of(0)) < 0 ? Numbers.negate(x) : x;
    }

    private static Datum sign(Arguments args, Emission out) {
        return switch (args.any("x")) {
            case Datum.Tensor x -> new Datum.Tensor(out.unary(Unary.Kind.SIGN, x.id()));
            case Datum.IntValue x -> Datum.IntValue.of(Long.signum(Numbers.known(x.value())));
            case Datum x -> new Datum.FloatValue(Math.signum(Numbers.real(x)));
        };
    }
}
