package dev.remat.codegen.cuda.emit;

import dev.remat.ir.DType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Cast;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.DropoutGradient;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Iota;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Pointwise;
import dev.remat.ir.op.Select;
import dev.remat.ir.op.Table;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.UnaryGradient;
import java.util.List;
import java.util.Optional;

/** The C++ expression of one elementwise instruction on one lane, in the accumulator type and not yet rounded. */
public final class LaneText {
    private LaneText() {}

    /**
     * The value of {@code instruction}.
     *
     * @param in expressions of its operands that are tensors
     * @param constants names of what the kernel gets as arguments for this instruction
     */
    static String of(Instruction instruction, List<String> in, List<String> constants) {
        DType type = instruction.types().getFirst().dtype();
        return switch ((Elementwise) instruction.op()) {
            case Pointwise op -> of(op, in);
            case UnaryGradient op -> call(op.mnemonic(), in.get(0), in.get(1));
            case LeakyRelu op -> call("leaky_relu", in.getFirst(), CudaType.literal(type, op.slope()));
            case Clamp op ->
                call(
                        "min",
                        CudaType.literal(type, op.high()),
                        call("max", CudaType.literal(type, op.low()), in.getFirst()));
            case Cast _, Contiguous _ -> cast(type, in.getFirst());
            case Constant _, Table _ -> constants.getFirst();
            case Iota _ -> line(type, constants.get(0), constants.get(1), constants.get(2));
            case Draw op -> RandomText.number(op, constants);
            case Dropout _, DropoutGradient _ ->
                "(words" + constants.getFirst() + "[l] >> 8 >= " + constants.get(1) + " ? " + in.getFirst() + " * "
                        + constants.get(2) + " : 0)";
            case Normalize op -> normalize(op, in, constants.getFirst());
        };
    }

    /** The value of an operation whose operands tell all. */
    public static String of(Pointwise op, List<String> in) {
        return switch (op) {
            case Unary unary -> unary(unary.kind(), in.getFirst());
            case Binary binary -> binary(binary.kind(), in.get(0), in.get(1));
            case Compare compare -> "u8(" + in.get(0) + " " + relation(compare.kind()) + " " + in.get(1) + ")";
            case Select _ -> "(" + in.get(0) + " ? " + in.get(1) + " : " + in.get(2) + ")";
        };
    }

    /** The header beside math.cuh that the instruction needs, if any. */
    public static Optional<String> header(Elementwise op) {
        return switch (op) {
            case Unary unary ->
                switch (unary.kind()) {
                    case SIN, COS, TAN, ASIN, ACOS, ATAN -> Optional.of("trigonometry.cuh");
                    case CEIL,
                            ROUND,
                            TRUNC,
                            RECIPROCAL,
                            EXPM1,
                            EXP2,
                            LOG1P,
                            LOG2,
                            LOG10,
                            ERF,
                            SINH,
                            COSH,
                            ASINH,
                            ACOSH,
                            ATANH -> Optional.of("functions.cuh");
                    default -> Optional.empty();
                };
            case Binary binary ->
                switch (binary.kind()) {
                    case ATAN2 -> Optional.of("trigonometry.cuh");
                    case FLOORDIV, REMAINDER, FMOD -> Optional.of("functions.cuh");
                    case ADD, SUB, MUL, DIV, MIN, MAX, POW, AND, OR -> Optional.empty();
                };
            case Draw _ -> Optional.of("random.cuh");
            case Cast _,
                    Clamp _,
                    Compare _,
                    Constant _,
                    Contiguous _,
                    Dropout _,
                    DropoutGradient _,
                    Iota _,
                    LeakyRelu _,
                    Normalize _,
                    Select _,
                    Table _,
                    UnaryGradient _ -> Optional.empty();
        };
    }

    private static String line(DType type, String factor, String number, String first) {
        String value = type.isFloat() ? call("fused", factor, number, first) : factor + " * " + number + " + " + first;
        return "static_cast<" + CudaType.accumulator(type) + ">(" + value + ")";
    }

    private static String call(String function, String... arguments) {
        return "math::" + function + "(" + String.join(", ", arguments) + ")";
    }

    private static String unary(Unary.Kind kind, String x) {
        return switch (kind) {
            case NEG -> "(-" + x + ")";
            case NOT -> "u8(" + x + " == 0)";
            default -> call(new Unary(kind).mnemonic(), x);
        };
    }

    private static String binary(Binary.Kind kind, String a, String b) {
        return switch (kind) {
            case ADD -> "(" + a + " + " + b + ")";
            case SUB -> "(" + a + " - " + b + ")";
            case MUL -> "(" + a + " * " + b + ")";
            case DIV -> call("div", a, b);
            case MIN -> call("min", a, b);
            case MAX -> call("max", a, b);
            case POW -> call("pow", a, b);
            case AND -> "u8(" + a + " & " + b + ")";
            case OR -> "u8(" + a + " | " + b + ")";
            case FLOORDIV -> call("floordiv", a, b);
            case REMAINDER -> call("remainder", a, b);
            case FMOD -> call("fmod", a, b);
            case ATAN2 -> call("atan2", a, b);
        };
    }

    private static String relation(Compare.Kind kind) {
        return switch (kind) {
            case EQ -> "==";
            case NE -> "!=";
            case LT -> "<";
            case LE -> "<=";
            case GT -> ">";
            case GE -> ">=";
        };
    }

    private static String cast(DType to, String x) {
        return switch (to) {
            case F32, BF16, F16 -> "static_cast<float>(" + x + ")";
            case F64 -> "static_cast<double>(" + x + ")";
            case I32 -> "math::truncated<i32>(" + x + ")";
            case I64 -> "math::truncated<i64>(" + x + ")";
            case BOOL, BIT -> "u8(" + x + " != 0)";
            case SEED -> throw new IllegalArgumentException("nothing is cast to a seed");
        };
    }

    /** The reciprocal root that a normalization multiplies by. */
    static String root(Normalize op, DType type, String variance) {
        return call("rsqrt", variance + " + " + CudaType.literal(type, op.epsilon()));
    }

    private static String normalize(Normalize op, List<String> in, String root) {
        String value = in.getFirst();
        if (op.centered()) {
            value = "(" + value + " - " + in.get(1) + ")";
        }
        value = value + " * " + root;
        if (op.scaled()) {
            value = value + " * " + in.get(op.gammaIndex());
        }
        return op.shifted() ? value + " + " + in.get(op.betaIndex()) : value;
    }
}
