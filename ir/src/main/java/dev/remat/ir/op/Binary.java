package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.Locale;

/** A function of two numbers, applied element by element: {@code (a, b) → y}, all of one type. */
public record Binary(Kind kind) implements Pointwise, Differentiable {
    /** The function. */
    public enum Kind {
        ADD,
        SUB,
        MUL,
        /** Floating point only. */
        DIV,
        /** Where both are equal, each gets half the gradient; where one is no number, each gets all of it. */
        MIN,
        /** Where both are equal, each gets half the gradient; where one is no number, each gets all of it. */
        MAX,
        /** {@code a} to the power {@code b}, floating point only. */
        POW,
        /** Of bools. */
        AND,
        /** Of bools. */
        OR,
        /** The quotient rounded down, of integers too; of an integer by 0 it is 0. */
        FLOORDIV,
        /** What {@link #FLOORDIV} leaves, with the sign of {@code b}, of integers too; of an integer by 0 it is 0. */
        REMAINDER,
        /** The rest of the quotient rounded towards 0, with the sign of {@code a}; integers by 0 give 0. */
        FMOD,
        /** The angle of the point with ordinate {@code a} and abscissa {@code b}, from −π to π. */
        ATAN2
    }

    public static Binary parse(String mnemonic, Attributes attributes) {
        return new Binary(Kind.valueOf(mnemonic.toUpperCase(Locale.ROOT)));
    }

    @Override
    public String mnemonic() {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        TensorType a = operands.getFirst();
        Expect.same(this, a, operands.get(1));
        switch (kind) {
            case ADD, SUB, MUL, MIN, MAX, FLOORDIV, REMAINDER, FMOD ->
                require(a.dtype().isFloat() || a.dtype().isInteger(), "%s takes numbers, got %s", mnemonic(), a);
            case DIV, POW, ATAN2 -> Expect.floating(this, a);
            case AND, OR -> Expect.bool(this, "operands", a);
        }
        return List.of(a);
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return switch (kind) {
            case ADD, SUB -> List.of(operands.linear());
            case MUL -> List.of(operands.product());
            case DIV -> {
                operands.nonlinear("divides by a mean over the batch", 1);
                yield List.of(operands.linear());
            }
            case MIN, MAX, POW, AND, OR, FLOORDIV, REMAINDER, FMOD, ATAN2 -> Pointwise.super.batchRoles(operands);
        };
    }

    @Override
    public boolean isDifferentiable() {
        return kind != Kind.AND && kind != Kind.OR;
    }

    @Override
    public void differentiate(GradientContext context) {
        ValueId dy = context.upstream();
        ValueId a = context.operand(0);
        ValueId b = context.operand(1);
        switch (kind) {
            case ADD -> {
                context.contribute(0, dy);
                context.contribute(1, dy);
            }
            case SUB -> {
                context.contribute(0, dy);
                if (context.wanted(1)) {
                    context.contribute(1, context.neg(dy));
                }
            }
            case MUL -> {
                if (context.wanted(0)) {
                    context.contribute(0, context.mul(dy, b));
                }
                if (context.wanted(1)) {
                    context.contribute(1, context.mul(dy, a));
                }
            }
            case DIV -> {
                ValueId quotient = context.div(dy, b);
                context.contribute(0, quotient);
                if (context.wanted(1)) {
                    context.contribute(1, context.neg(context.mul(quotient, context.result(0))));
                }
            }
            case MIN -> choose(context, 0, 1);
            case MAX -> choose(context, 1, 0);
            case POW -> differentiatePower(context);
            case REMAINDER -> differentiateRest(context, Kind.FLOORDIV);
            case FMOD -> differentiateRest(context, Kind.DIV);
            case ATAN2 -> {
                ValueId scaled = context.div(dy, context.add(context.mul(a, a), context.mul(b, b)));
                if (context.wanted(0)) {
                    context.contribute(0, context.mul(scaled, b));
                }
                if (context.wanted(1)) {
                    context.contribute(1, context.neg(context.mul(scaled, a)));
                }
            }
            case FLOORDIV -> {
                // Piecewise constant: the gradient is zero wherever it exists.
            }
            case AND, OR -> throw new IllegalStateException(mnemonic() + " has no gradient");
        }
    }

    /** Of {@code a − q·b}, where q is the quotient of that kind, cut towards 0 if it is not whole. */
    private static void differentiateRest(GradientContext context, Kind quotient) {
        ValueId dy = context.upstream();
        context.contribute(0, dy);
        if (context.wanted(1)) {
            ValueId whole = context.binary(quotient, context.operand(0), context.operand(1));
            if (quotient == Kind.DIV) {
                whole = context.unary(Unary.Kind.TRUNC, whole);
            }
            context.contribute(1, context.neg(context.mul(dy, whole)));
        }
    }

    /**
     * @param whereLess the operand that gets the gradient where {@code a < b}
     * @param whereGreater the other one
     */
    private static void choose(GradientContext context, int whereLess, int whereGreater) {
        ValueId dy = context.upstream();
        ValueId a = context.operand(0);
        ValueId b = context.operand(1);
        ValueId zero = context.filled(0, context.type(dy));
        ValueId equal = context.compare(Compare.Kind.EQ, a, b);
        ValueId half = context.scale(dy, 0.5);
        if (context.wanted(whereLess)) {
            ValueId greater = context.compare(Compare.Kind.GT, a, b);
            ValueId strict = context.select(greater, zero, dy);
            context.contribute(whereLess, context.select(equal, half, strict));
        }
        if (context.wanted(whereGreater)) {
            ValueId less = context.compare(Compare.Kind.LT, a, b);
            ValueId strict = context.select(less, zero, dy);
            context.contribute(whereGreater, context.select(equal, half, strict));
        }
    }

    /** As PyTorch, the gradient is 0 by the base where the exponent is 0, and by the exponent where the base is 0. */
    private static void differentiatePower(GradientContext context) {
        ValueId dy = context.upstream();
        ValueId a = context.operand(0);
        ValueId b = context.operand(1);
        TensorType type = context.type(dy);
        ValueId zero = context.filled(0, type);
        if (context.wanted(0)) {
            ValueId lowered = context.binary(Kind.POW, a, context.sub(b, context.filled(1, type)));
            ValueId gradient = context.mul(dy, context.mul(b, lowered));
            ValueId constant = context.compare(Compare.Kind.EQ, b, zero);
            context.contribute(0, context.select(constant, zero, gradient));
        }
        if (context.wanted(1)) {
            ValueId logarithm = context.unary(Unary.Kind.LOG, a);
            ValueId gradient = context.mul(dy, context.mul(context.result(0), logarithm));
            ValueId vanishing = context.binary(
                    Kind.AND, context.compare(Compare.Kind.EQ, a, zero), context.compare(Compare.Kind.GE, b, zero));
            context.contribute(1, context.select(vanishing, zero, gradient));
        }
    }
}
