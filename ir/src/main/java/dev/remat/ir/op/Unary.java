package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.Locale;

/** A function of one number, applied to every element: {@code x → y} of the same type. */
public record Unary(Kind kind) implements Elementwise {
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
        NOT
    }

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
            case EXP, LOG, SQRT, RSQRT, RELU, GELU, GELU_TANH, SILU, SIGMOID, TANH, SOFTPLUS, FLOOR ->
                Expect.floating(this, x);
        }
        return List.of(x);
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
                ValueId y = context.result(0);
                ValueId cube = context.mul(context.mul(y, y), y);
                context.contribute(0, context.mul(context.scale(dy, -0.5), cube));
            }
            case ABS -> context.contribute(0, context.mul(dy, context.unary(Kind.SIGN, context.operand(0))));
            case RELU -> {
                ValueId zero = context.filled(0, context.type(dy));
                ValueId positive = context.apply(new Compare(Compare.Kind.GT), context.result(0), zero);
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
            case SIGN, FLOOR -> {
                // Piecewise constant: the gradient is zero wherever it exists.
            }
            case NOT -> throw new IllegalStateException("not has no gradient");
        }
    }

    private static void through(UnaryGradient.Kind kind, GradientContext context) {
        context.contribute(0, context.apply(new UnaryGradient(kind), context.upstream(), context.operand(0)));
    }
}
