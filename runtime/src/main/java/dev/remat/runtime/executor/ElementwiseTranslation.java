package dev.remat.runtime.executor;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.DropoutGradient;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.UnaryGradient;
import dev.remat.runtime.cpu.EltwiseProgram;
import dev.remat.runtime.cpu.Primitive;
import java.util.List;

/** Elementwise operations in the primitives of the fused kernels. */
final class ElementwiseTranslation {
    static final int NO_INDEX = -1;

    private final EltwiseProgram.Builder builder;
    private final int index;

    /** @param index the value that counts elements, or {@link #NO_INDEX} in a program that draws nothing */
    ElementwiseTranslation(EltwiseProgram.Builder builder, int index) {
        this.builder = builder;
        this.index = index;
    }

    /** Appends {@code op} and returns its value; seeds are no operands here. */
    int translate(Elementwise op, TensorType type, List<Integer> operands) {
        DType dtype = type.dtype();
        return switch (op) {
            case Unary u -> add(primitive(u.kind()), dtype, operands, 0, 0);
            case UnaryGradient u -> add(primitive(u.kind()), dtype, operands, 0, 0);
            case Binary b -> add(primitive(b.kind()), dtype, operands, 0, 0);
            case Compare c -> add(primitive(c.kind()), dtype, operands, 0, 0);
            case Select s -> add(Primitive.WHERE, dtype, operands, 0, 0);
            case Cast c -> add(Primitive.CAST, dtype, operands, 0, 0);
            case LeakyRelu l -> add(Primitive.LEAKY_RELU, dtype, operands, l.slope(), 0);
            case Clamp c -> add(Primitive.CLAMP, dtype, operands, c.low(), c.high());
            case Constant c -> builder.constant(dtype, c.value());
            case Contiguous c -> operands.getFirst();
            case Dropout d -> add(Primitive.DROPOUT, dtype, List.of(operands.getFirst(), index), d.p(), d.ordinal());
            case DropoutGradient d ->
                add(Primitive.DROPOUT, dtype, List.of(operands.getFirst(), index), d.p(), d.ordinal());
            case Normalize n -> normalize(n, dtype, operands);
        };
    }

    private int add(Primitive primitive, DType dtype, List<Integer> operands, double first, double second) {
        return builder.add(new EltwiseProgram.Instruction(primitive, dtype, operands, first, second));
    }

    /** In the accumulator's dtype, rounded once; the variance has become a reciprocal root when it was read. */
    private int normalize(Normalize op, DType dtype, List<Integer> operands) {
        DType wide = dtype.accumulator();
        int next = 1;
        int y = wide == dtype ? operands.getFirst() : builder.apply(Primitive.CAST, wide, operands.getFirst());
        if (op.centered()) {
            y = builder.apply(Primitive.SUB, wide, y, operands.get(next++));
        }
        y = builder.apply(Primitive.MUL, wide, y, operands.get(next++));
        if (op.scaled()) {
            y = builder.apply(Primitive.MUL, wide, y, operands.get(next++));
        }
        if (op.shifted()) {
            y = builder.apply(Primitive.ADD, wide, y, operands.get(next));
        }
        return wide == dtype ? y : builder.apply(Primitive.CAST, dtype, y);
    }

    private static Primitive primitive(Unary.Kind kind) {
        return switch (kind) {
            case NEG -> Primitive.NEG;
            case EXP -> Primitive.EXP;
            case LOG -> Primitive.LOG;
            case SQRT -> Primitive.SQRT;
            case RSQRT -> Primitive.RSQRT;
            case ABS -> Primitive.ABS;
            case SIGN -> Primitive.SIGN;
            case RELU -> Primitive.RELU;
            case GELU -> Primitive.GELU;
            case GELU_TANH -> Primitive.GELU_TANH;
            case SILU -> Primitive.SILU;
            case SIGMOID -> Primitive.SIGMOID;
            case TANH -> Primitive.TANH;
            case SOFTPLUS -> Primitive.SOFTPLUS;
            case FLOOR -> Primitive.FLOOR;
            case NOT -> Primitive.NOT;
        };
    }

    private static Primitive primitive(UnaryGradient.Kind kind) {
        return switch (kind) {
            case GELU -> Primitive.GELU_GRAD;
            case GELU_TANH -> Primitive.GELU_TANH_GRAD;
            case SILU -> Primitive.SILU_GRAD;
            case SOFTPLUS -> Primitive.SOFTPLUS_GRAD;
        };
    }

    private static Primitive primitive(Binary.Kind kind) {
        return switch (kind) {
            case ADD -> Primitive.ADD;
            case SUB -> Primitive.SUB;
            case MUL -> Primitive.MUL;
            case DIV -> Primitive.DIV;
            case MIN -> Primitive.MIN;
            case MAX -> Primitive.MAX;
            case POW -> Primitive.POW;
            case AND -> Primitive.AND;
            case OR -> Primitive.OR;
        };
    }

    private static Primitive primitive(Compare.Kind kind) {
        return switch (kind) {
            case EQ -> Primitive.EQ;
            case NE -> Primitive.NE;
            case LT -> Primitive.LT;
            case LE -> Primitive.LE;
            case GT -> Primitive.GT;
            case GE -> Primitive.GE;
        };
    }
}
