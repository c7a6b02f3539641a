package dev.remat.tests.cuda;

import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/**
 * A function of the language with its slope, both in doubles and written so that nothing cancels or overflows.
 *
 * @param text of {@code x}, as a model has it
 * @param size by argument and value, of what is rounded in f32
 */
record RealFunction(String text, DoubleUnaryOperator value, DoubleUnaryOperator slope, DoubleBinaryOperator size) {
    private static final double RELATIVE_ERROR = 5e-7;
    /** What is this small may as well be another such number. */
    private static final double SMALL = 1e-31;

    private static final double SQRT_TWO_PI = Math.sqrt(2 * Math.PI);
    private static final double SELU_SCALE = 1.0507009873554805;
    private static final double SELU_ALPHA = 1.6732632423543772;

    static final List<RealFunction> ALL = List.of(
            of("-x", x -> -x, x -> -1),
            of("abs(x)", Math::abs, Math::signum),
            of("sign(x)", Math::signum, x -> 0),
            of("floor(x)", Math::floor, x -> 0),
            of("ceil(x)", Math::ceil, x -> 0),
            of("round(x)", Math::rint, x -> 0),
            of("trunc(x)", x -> x < 0 ? Math.ceil(x) : Math.floor(x), x -> 0),
            of("square(x)", x -> x * x, x -> 2 * x),
            of("sqrt(x)", Math::sqrt, x -> 0.5 / Math.sqrt(x)),
            of("rsqrt(x)", x -> 1 / Math.sqrt(x), x -> -0.5 / x / Math.sqrt(x)),
            of("reciprocal(x)", x -> 1 / x, x -> -1 / x / x),
            of("1 / x", x -> 1 / x, x -> -1 / x / x),
            of("x / 3", x -> x / 3, x -> 1.0 / 3),
            of("exp(x)", Math::exp, Math::exp),
            of("exp2(x)", x -> Math.pow(2, x), x -> Math.log(2) * Math.pow(2, x)),
            of("expm1(x)", Math::expm1, Math::exp),
            of("log(x)", Math::log, x -> 1 / x),
            of("log2(x)", x -> Math.log(x) / Math.log(2), x -> 1 / x / Math.log(2)),
            of("log10(x)", Math::log10, x -> 1 / x / Math.log(10)),
            of("log1p(x)", Math::log1p, x -> 1 / (1 + x)),
            of("sin(x)", Math::sin, Math::cos),
            of("cos(x)", Math::cos, x -> -Math.sin(x)),
            of("tan(x)", Math::tan, x -> 1 + Math.tan(x) * Math.tan(x)),
            of("asin(x)", Math::asin, x -> 1 / root(1 - x, 1 + x)),
            of("acos(x)", Math::acos, x -> -1 / root(1 - x, 1 + x)),
            of("atan(x)", Math::atan, x -> 1 / (1 + x * x)),
            of("sinh(x)", Math::sinh, Math::cosh),
            of("cosh(x)", Math::cosh, Math::sinh),
            of("tanh(x)", Math::tanh, x -> 1 / Math.cosh(x) / Math.cosh(x)),
            of("asinh(x)", RealFunction::asinh, x -> 1 / Math.hypot(x, 1)),
            of("acosh(x)", x -> Math.log1p(x - 1 + root(x - 1, x + 1)), x -> 1 / root(x - 1, x + 1)),
            of("atanh(x)", x -> 0.5 * (Math.log1p(x) - Math.log1p(-x)), x -> 1 / ((1 - x) * (1 + x))),
            of("erf(x)", x -> 2 * aside(x * Math.sqrt(2)), x -> 2 / Math.sqrt(Math.PI) * Math.exp(-x * x)),
            of("relu(x)", x -> Math.max(x, 0), x -> x > 0 ? 1 : 0),
            of("leaky_relu(x, negative_slope = 0.25)", x -> x > 0 ? x : x / 4, x -> x > 0 ? 1 : 0.25),
            difference("gelu(x)", x -> x * tail(-x), x -> tail(-x) + x * density(x)),
            steep(
                    "gelu(x, approximate = \"tanh\")",
                    x -> x * sigmoid(twice(x)),
                    x -> sigmoid(twice(x)) + x * bell(twice(x)) * (2 + 6 * 0.044715 * x * x) * Math.sqrt(2 / Math.PI)),
            of("silu(x)", x -> x * sigmoid(x), x -> sigmoid(x) + x * bell(x)),
            of("sigmoid(x)", RealFunction::sigmoid, RealFunction::bell),
            of("softplus(x)", RealFunction::softplus, RealFunction::sigmoid),
            of("logsigmoid(x)", x -> -softplus(-x), x -> sigmoid(-x)),
            of("elu(x)", x -> x > 0 ? x : Math.expm1(x), x -> x > 0 ? 1 : Math.exp(x)),
            of(
                    "selu(x)",
                    x -> SELU_SCALE * (x > 0 ? x : SELU_ALPHA * Math.expm1(x)),
                    x -> SELU_SCALE * (x > 0 ? 1 : SELU_ALPHA * Math.exp(x))),
            of("celu(x, alpha = 2.0)", x -> x > 0 ? x : 2 * Math.expm1(x / 2), x -> x > 0 ? 1 : Math.exp(x / 2)),
            of(
                    "mish(x)",
                    x -> x * Math.tanh(softplus(x)),
                    x -> Math.tanh(softplus(x)) + x * sigmoid(x) / Math.cosh(softplus(x)) / Math.cosh(softplus(x))),
            of("hardtanh(x)", x -> Math.clamp(x, -1, 1), x -> Math.abs(x) < 1 ? 1 : 0),
            of("relu6(x)", x -> Math.clamp(x, 0, 6), x -> x > 0 && x < 6 ? 1 : 0),
            of("hardsigmoid(x)", x -> Math.clamp(x + 3, 0, 6) / 6, x -> Math.abs(x) < 3 ? 1.0 / 6 : 0),
            of("hardswish(x)", x -> x * (Math.clamp(x + 3, 0, 6) / 6), x -> x >= 3 ? 1 : x <= -3 ? 0 : (2 * x + 3) / 6),
            difference("tanhshrink(x)", RealFunction::tanhshrink, x -> Math.tanh(x) * Math.tanh(x)),
            of("softsign(x)", x -> x / (1 + Math.abs(x)), x -> 1 / (1 + Math.abs(x)) / (1 + Math.abs(x))),
            of("x ** 3", x -> x * x * x, x -> 3 * x * x),
            of("x ** 0.5", Math::sqrt, x -> 0.5 / Math.sqrt(x)),
            of("x ** -1.5", x -> 1 / x / Math.sqrt(x), x -> -1.5 / x / x / Math.sqrt(x)),
            of("1.5 ** x", x -> Math.pow(1.5, x), x -> Math.log(1.5) * Math.pow(1.5, x)),
            of("atan2(x, 2.0)", x -> Math.atan(x / 2), x -> 2 / (x * x + 4)),
            of("atan2(2.0, x)", x -> Math.atan2(2, x), x -> -2 / (x * x + 4)));

    private static RealFunction of(String text, DoubleUnaryOperator value, DoubleUnaryOperator slope) {
        return new RealFunction(text, value, slope, (x, y) -> y);
    }

    /** What two numbers as large as {@code x} leave of each other. */
    private static RealFunction difference(String text, DoubleUnaryOperator value, DoubleUnaryOperator slope) {
        return new RealFunction(text, value, slope, (x, y) -> x);
    }

    /** An exponential of a number that has been rounded itself. */
    private static RealFunction steep(String text, DoubleUnaryOperator value, DoubleUnaryOperator slope) {
        return new RealFunction(text, value, slope, (x, y) -> 8 * y);
    }

    /** How far a value in f32 may be from the exact one. */
    double error(double x, double exact) {
        return RELATIVE_ERROR * Math.abs(size.applyAsDouble(x, exact)) + SMALL;
    }

    private static double root(double a, double b) {
        return Math.sqrt(a) * Math.sqrt(b);
    }

    private static double asinh(double x) {
        double size = Math.abs(x);
        return Math.copySign(Math.log1p(size + size * size / (1 + Math.hypot(size, 1))), x);
    }

    private static double sigmoid(double x) {
        return x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x));
    }

    /** The slope of the sigmoid. */
    private static double bell(double x) {
        return sigmoid(x) * sigmoid(-x);
    }

    private static double softplus(double x) {
        return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
    }

    private static double twice(double x) {
        return 2 * Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x);
    }

    private static double tanhshrink(double x) {
        return Math.abs(x) > 0.01 ? x - Math.tanh(x) : x * x * x * (1.0 / 3 - x * x * (2.0 / 15));
    }

    private static double density(double x) {
        return Math.exp(-x * x / 2) / SQRT_TWO_PI;
    }

    /** How likely the standard Gaussian is above {@code x}: by a continued fraction far out. */
    private static double tail(double x) {
        if (x < 3) {
            return 0.5 - aside(x);
        }
        double fraction = 0;
        for (int n = 200; n > 0; n--) {
            fraction = n / (x + fraction);
        }
        return density(x) / (x + fraction);
    }

    /** How likely it is between 0 and {@code x}: by its series near 0. */
    private static double aside(double x) {
        if (Math.abs(x) > 3) {
            return Math.copySign(0.5 - tail(Math.abs(x)), x);
        }
        double term = x;
        double sum = x;
        for (int n = 1; Math.abs(term) > 1e-18 * Math.abs(sum); n++) {
            term *= x * x / (2 * n + 1);
            sum += term;
        }
        return density(x) * sum;
    }
}
