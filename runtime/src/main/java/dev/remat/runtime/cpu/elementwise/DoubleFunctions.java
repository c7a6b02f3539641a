package dev.remat.runtime.cpu.elementwise;

import dev.remat.ir.ErrorFunction;
import dev.remat.ir.RealFunctions;

/** Functions of one f64, for checking: {@link StrictMath}, whose bits are the same everywhere. */
public final class DoubleFunctions {
    private static final double SQRT_TWO_OVER_PI = 0.7978845608028654;
    private static final double INVERSE_SQRT_TWO_PI = 0.3989422804014327;
    private static final double GELU_CUBIC = 0.044715;

    private DoubleFunctions() {}

    public static double unary(EltwiseProgram.Instruction instruction, double x) {
        return switch (instruction.primitive()) {
            case NEG -> -x;
            case ABS -> Math.abs(x);
            case SIGN -> Math.signum(x);
            case FLOOR -> Math.floor(x);
            case SQRT -> Math.sqrt(x);
            case RSQRT -> 1 / Math.sqrt(x);
            case EXP -> StrictMath.exp(x);
            case LOG -> StrictMath.log(x);
            case SIGMOID -> sigmoid(x);
            case TANH -> StrictMath.tanh(x);
            case ERF -> ErrorFunction.of(x);
            case CEIL -> Math.ceil(x);
            case ROUND -> Math.rint(x);
            case TRUNC -> x < 0 ? Math.ceil(x) : Math.floor(x);
            case RECIPROCAL -> 1 / x;
            case EXPM1 -> StrictMath.expm1(x);
            case EXP2 -> StrictMath.pow(2, x);
            case LOG1P -> StrictMath.log1p(x);
            case LOG2 -> RealFunctions.log2(x);
            case LOG10 -> StrictMath.log10(x);
            case SIN -> StrictMath.sin(x);
            case COS -> StrictMath.cos(x);
            case TAN -> StrictMath.tan(x);
            case ASIN -> StrictMath.asin(x);
            case ACOS -> StrictMath.acos(x);
            case ATAN -> StrictMath.atan(x);
            case SINH -> StrictMath.sinh(x);
            case COSH -> StrictMath.cosh(x);
            case ASINH -> RealFunctions.asinh(x);
            case ACOSH -> RealFunctions.acosh(x);
            case ATANH -> Math.copySign(0.5 * StrictMath.log1p(2 * Math.abs(x) / (1 - Math.abs(x))), x);
            case RELU -> Math.max(x, 0);
            case LEAKY_RELU -> x < 0 ? x * instruction.first() : x;
            case GELU -> x * normal(x);
            case GELU_TANH -> 0.5 * x * (1 + StrictMath.tanh(cubic(x)));
            case SILU -> x * sigmoid(x);
            case SOFTPLUS -> Math.max(x, 0) + StrictMath.log1p(StrictMath.exp(-Math.abs(x)));
            case CLAMP -> Math.min(instruction.second(), Math.max(instruction.first(), x));
            default -> throw new IllegalArgumentException("not a function of one f64: " + instruction.primitive());
        };
    }

    public static double binary(Primitive primitive, double a, double b) {
        return switch (primitive) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case POW -> StrictMath.pow(a, b);
            case FLOORDIV -> RealFunctions.floorDivide(a, b);
            case REMAINDER -> RealFunctions.remainder(a, b);
            case FMOD -> a % b;
            case ATAN2 -> StrictMath.atan2(a, b);
            case GELU_GRAD -> a * (normal(b) + b * INVERSE_SQRT_TWO_PI * StrictMath.exp(-0.5 * b * b));
            case GELU_TANH_GRAD -> a * geluTanhSlope(b);
            case SILU_GRAD -> a * sigmoid(b) * (1 + b * (1 - sigmoid(b)));
            case SOFTPLUS_GRAD -> a * sigmoid(b);
            default -> throw new IllegalArgumentException("not a function of two f64: " + primitive);
        };
    }

    public static boolean compare(Primitive comparison, double a, double b) {
        return switch (comparison) {
            case EQ -> a == b;
            case NE -> a != b;
            case LT -> a < b;
            case LE -> a <= b;
            case GT -> a > b;
            case GE -> a >= b;
            default -> throw new IllegalArgumentException("not a comparison: " + comparison);
        };
    }

    static double sigmoid(double x) {
        return 1 / (1 + StrictMath.exp(-x));
    }

    private static double normal(double x) {
        return 0.5 * (1 + ErrorFunction.of(x * 0.7071067811865476));
    }

    private static double cubic(double x) {
        return SQRT_TWO_OVER_PI * (x + GELU_CUBIC * x * x * x);
    }

    private static double geluTanhSlope(double x) {
        double t = StrictMath.tanh(cubic(x));
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * SQRT_TWO_OVER_PI * (1 + 3 * GELU_CUBIC * x * x);
    }
}
