package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.Locale;

/** A function of one number, applied to every element: {@code x → y} of the same type. */
public record Unary(Kind kind) implements Pointwise, Differentiable {
    /** The function. */
    public enum Kind {
        NEG,
        EXP,
        LOG,
        SQRT,
        /** 1 / √x. */
        RSQRT,
        ABS,
        /** −1, 0 or 1. */
        SIGN,
        RELU,
        /** x·Φ(x) with the Gaussian distribution function Φ (Hendrycks and Gimpel, 2016). */
        GELU,
        /** The approximation x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))). */
        GELU_TANH,
        /** x·sigmoid(x). */
        SILU,
        SIGMOID,
        TANH,
        /** log(1 + eˣ). */
        SOFTPLUS,
        FLOOR,
        /** Negation of a bool. */
        NOT,
        CEIL,
        /** To the nearest integer, halves to the even one. */
        ROUND,
        /** Towards 0. */
        TRUNC,
        /** 1 / x. */
        RECIPROCAL,
        /** eˣ − 1, precise near 0. */
        EXPM1,
        EXP2,
        /** log(1 + x), precise near 0. */
        LOG1P,
        LOG2,
        LOG10,
        /** 2/√π · ∫ exp(−t²) dt from 0 to x. */
        ERF,
        SIN,
        COS,
        TAN,
        ASIN,
        ACOS,
        ATAN,
        SINH,
        COSH,
        ASINH,
        ACOSH,
        ATANH
    }

    private static final double LN_2 = 0.6931471805599453;
    private static final double LN_10 = 2.302585092994046;
    private static final double TWO_OVER_SQRT_PI = 1.1283791670955126;

    public static Unary parse(String mnemonic, Attributes attributes) {
        return new Unary(Kind.valueOf(mnemonic.toUpperCase(Locale.ROOT)));
    }

    @Override
    public String mnemonic() {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        switch (kind) {
            case NOT -> Expect.bool(this, "an operand", x);
            case NEG, ABS, SIGN ->
                require(x.dtype().isFloat() || x.dtype().isInteger(), "%s takes numbers, got %s", mnemonic(), x);
            default -> Expect.floating(this, x);
        }
        return List.of(x);
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return switch (kind) {
            case NEG -> List.of(operands.linear());
            case SQRT, RSQRT -> List.of(operands.nonlinear("takes the root of a mean over the batch"));
            default -> Pointwise.super.batchRoles(operands);
        };
    }

    @Override
    public boolean isDifferentiable() {
        return kind != Kind.NOT;
    }

    /** Reads the result rather than the operand wherever the result tells enough, so that one of both can go. */
    @Override
    public void differentiate(GradientContext context) {
        ValueId dy = context.upstream();
        switch (kind) {
            case NEG -> context.contribute(0, context.neg(dy));
            case EXP -> context.contribute(0, context.mul(dy, context.result(0)));
            case LOG -> context.contribute(0, context.div(dy, context.operand(0)));
            case SQRT -> context.contribute(0, context.div(context.scale(dy, 0.5), context.result(0)));
            case RSQRT -> {
                // The half comes first, since the cube may overflow where the gradient does not.
                ValueId y = context.result(0);
                ValueId scaled = context.mul(context.scale(dy, -0.5), y);
                context.contribute(0, context.mul(context.mul(scaled, y), y));
            }
            case ABS -> context.contribute(0, context.mul(dy, context.unary(Kind.SIGN, context.operand(0))));
            case RELU -> {
                ValueId zero = context.filled(0, context.type(dy));
                ValueId positive = context.compare(Compare.Kind.GT, context.result(0), zero);
                context.contribute(0, context.select(positive, dy, zero));
            }
            case SIGMOID -> {
                ValueId y = context.result(0);
                ValueId rest = context.sub(context.filled(1, context.type(y)), y);
                context.contribute(0, context.mul(context.mul(dy, y), rest));
            }
            case TANH -> {
                ValueId y = context.result(0);
                ValueId rest = context.sub(context.filled(1, context.type(y)), context.mul(y, y));
                context.contribute(0, context.mul(dy, rest));
            }
            case GELU -> through(UnaryGradient.Kind.GELU, context);
            case GELU_TANH -> through(UnaryGradient.Kind.GELU_TANH, context);
            case SILU -> through(UnaryGradient.Kind.SILU, context);
            case SOFTPLUS -> through(UnaryGradient.Kind.SOFTPLUS, context);
            case RECIPROCAL -> {
                ValueId y = context.result(0);
                context.contribute(0, context.mul(context.neg(dy), context.mul(y, y)));
            }
            case EXPM1 -> {
                ValueId power = context.plus(context.result(0), 1);
                context.contribute(0, context.mul(dy, power));
            }
            case EXP2 -> context.contribute(0, context.mul(context.scale(dy, LN_2), context.result(0)));
            case LOG1P -> {
                ValueId sum = context.plus(context.operand(0), 1);
                context.contribute(0, context.div(dy, sum));
            }
            case LOG2 -> context.contribute(0, context.div(context.scale(dy, 1 / LN_2), context.operand(0)));
            case LOG10 -> context.contribute(0, context.div(context.scale(dy, 1 / LN_10), context.operand(0)));
            case ERF -> {
                ValueId x = context.operand(0);
                ValueId density = context.unary(Kind.EXP, context.neg(context.mul(x, x)));
                context.contribute(0, context.mul(context.scale(dy, TWO_OVER_SQRT_PI), density));
            }
            case SIN -> context.contribute(0, context.mul(dy, context.unary(Kind.COS, context.operand(0))));
            case COS -> {
                ValueId sine = context.unary(Kind.SIN, context.operand(0));
                context.contribute(0, context.mul(context.neg(dy), sine));
            }
            case TAN -> {
                ValueId y = context.result(0);
                ValueId slope = context.plus(context.mul(y, y), 1);
                context.contribute(0, context.mul(dy, slope));
            }
            case ASIN -> context.contribute(0, overRoot(context, dy, -1, 1));
            case ACOS -> context.contribute(0, overRoot(context, context.neg(dy), -1, 1));
            case ATAN -> context.contribute(0, context.div(dy, quadratic(context, 1, 1)));
            case SINH -> context.contribute(0, context.mul(dy, context.unary(Kind.COSH, context.operand(0))));
            case COSH -> context.contribute(0, context.mul(dy, context.unary(Kind.SINH, context.operand(0))));
            case ASINH -> context.contribute(0, overRoot(context, dy, 1, 1));
            case ACOSH -> context.contribute(0, overRoot(context, dy, 1, -1));
            case ATANH -> context.contribute(0, context.div(dy, quadratic(context, -1, 1)));
            case SIGN, FLOOR, CEIL, ROUND, TRUNC -> {
                // Piecewise constant: the gradient is zero wherever it exists.
            }
            case NOT -> throw new IllegalStateException("not has no gradient");
        }
    }

    /** {@code dy / √(sign·x² + constant)}. */
    private static ValueId overRoot(GradientContext context, ValueId dy, int sign, int constant) {
        return context.mul(dy, context.unary(Kind.RSQRT, quadratic(context, sign, constant)));
    }

    /** {@code sign·x² + constant} of the operand x. */
    private static ValueId quadratic(GradientContext context, int sign, int constant) {
        ValueId x = context.operand(0);
        ValueId square = context.mul(x, x);
        ValueId number = context.filled(constant, context.type(x));
        return sign > 0 ? context.add(square, number) : context.sub(number, square);
    }

    private static void through(UnaryGradient.Kind kind, GradientContext context) {
        context.contribute(0, context.apply(new UnaryGradient(kind), context.upstream(), context.operand(0)));
    }
}
