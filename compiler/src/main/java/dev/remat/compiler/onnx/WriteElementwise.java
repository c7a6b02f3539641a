package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Clamp;
import dev.remat.ir.op.Compare;
import dev.remat.ir.op.LeakyRelu;
import dev.remat.ir.op.Unary;
import java.util.List;
import java.util.function.UnaryOperator;

/** Functions of single elements. */
final class WriteElementwise {
    private static final double LN_2 = 0.6931471805599453;
    private static final double LN_10 = 2.302585092994046;

    private final Translated node;
    private final String x;

    private WriteElementwise(Translated node) {
        this.node = node;
        this.x = node.held(0).name();
    }

    static void unary(Translated node, Unary.Kind kind) {
        node.result(new WriteElementwise(node).unary(kind), node.together());
    }

    static void binary(Translated node, Binary.Kind kind) {
        node.result(new WriteElementwise(node).binary(kind, node.held(1).name()), node.together());
    }

    static void compare(Translated node, Compare.Kind kind) {
        String a = node.held(0).name();
        String b = node.held(1).name();
        node.result(
                switch (kind) {
                    case EQ -> node.apply("Equal", a, b);
                    case NE -> node.apply("Not", node.apply("Equal", a, b));
                    case LT -> node.apply("Less", a, b);
                    case LE -> node.apply("LessOrEqual", a, b);
                    case GT -> node.apply("Greater", a, b);
                    case GE -> node.apply("GreaterOrEqual", a, b);
                },
                node.together());
    }

    static void select(Translated node) {
        node.result(
                node.apply(
                        "Where",
                        node.held(0).name(),
                        node.held(1).name(),
                        node.held(2).name()),
                node.together());
    }

    static void cast(Translated node, DType to) {
        node.result(node.cast(node.held(0).name(), node.type(0).dtype(), to), node.together());
    }

    static void clamp(Translated node, Clamp clamp) {
        node.result(
                node.apply("Clip", node.held(0).name(), node.number(0, clamp.low()), node.number(0, clamp.high())),
                node.together());
    }

    static void leakyRelu(Translated node, LeakyRelu relu) {
        node.result(
                node.apply("LeakyRelu", List.of(node.held(0).name()), Attribute.of("alpha", relu.slope())),
                node.together());
    }

    private String unary(Unary.Kind kind) {
        return switch (kind) {
            case NEG -> node.apply("Neg", x);
            case EXP -> node.apply("Exp", x);
            case LOG -> node.apply("Log", x);
            case SQRT -> node.apply("Sqrt", x);
            case RSQRT -> node.apply("Reciprocal", node.apply("Sqrt", x));
            case ABS -> node.apply("Abs", x);
            case SIGN -> node.apply("Sign", x);
            case RELU -> node.apply("Relu", x);
            case GELU -> node.out().opset().hasGelu() ? node.apply("Gelu", x) : gelu();
            case GELU_TANH ->
                node.out().opset().hasGelu()
                        ? node.apply("Gelu", List.of(x), Attribute.of("approximate", "tanh"))
                        : geluTanh();
            case SILU ->
                node.out().opset().hasSwish() ? node.apply("Swish", x) : node.apply("Mul", x, node.apply("Sigmoid", x));
            case SIGMOID -> node.apply("Sigmoid", x);
            case TANH -> node.apply("Tanh", x);
            case SOFTPLUS -> node.apply("Softplus", x);
            case FLOOR -> node.apply("Floor", x);
            case NOT -> node.apply("Not", x);
            case CEIL -> node.apply("Ceil", x);
            case ROUND -> node.apply("Round", x);
            case TRUNC -> node.apply("Mul", node.apply("Sign", x), node.apply("Floor", node.apply("Abs", x)));
            case RECIPROCAL -> node.apply("Reciprocal", x);
            // Precise near 0: eˣ − 1 = tanh(x/2)·(eˣ + 1).
            case EXPM1 ->
                node.apply(
                        "Mul", node.apply("Tanh", times(x, 0.5)), node.apply("Add", node.apply("Exp", x), number(1)));
            case EXP2 -> node.apply("Pow", number(2), x);
            case LOG1P -> logOfSum();
            case LOG2 -> times(node.apply("Log", x), 1 / LN_2);
            case LOG10 -> times(node.apply("Log", x), 1 / LN_10);
            case ERF -> node.apply("Erf", x);
            case SIN -> node.apply("Sin", x);
            case COS -> node.apply("Cos", x);
            case TAN -> node.apply("Tan", x);
            case ASIN -> node.apply("Asin", x);
            case ACOS -> node.apply("Acos", x);
            case ATAN -> node.apply("Atan", x);
            case SINH -> node.apply("Sinh", x);
            case COSH -> node.apply("Cosh", x);
            case ASINH -> node.apply("Asinh", x);
            case ACOSH -> node.apply("Acosh", x);
            case ATANH -> node.apply("Atanh", x);
        };
    }

    private String number(double value) {
        return node.number(0, value);
    }

    private String times(String a, double factor) {
        return node.apply("Mul", a, number(factor));
    }

    private String gelu() {
        String error = node.apply("Erf", times(x, Math.sqrt(0.5)));
        return node.apply("Mul", times(x, 0.5), node.apply("Add", error, number(1)));
    }

    private String geluTanh() {
        String cube = node.apply("Mul", x, node.apply("Mul", x, x));
        String inner = node.apply("Add", x, times(cube, 0.044715));
        String tanh = node.apply("Tanh", times(inner, Math.sqrt(2 / Math.PI)));
        return node.apply("Mul", times(x, 0.5), node.apply("Add", tanh, number(1)));
    }

    /** Near 0 log(1 + x) = 2·artanh(x/(x + 2)), where 1 + x would lose digits. */
    private String logOfSum() {
        String near = times(node.apply("Atanh", node.apply("Div", x, node.apply("Add", x, number(2)))), 2);
        String far = node.apply("Log", node.apply("Add", x, number(1)));
        return node.apply("Where", node.apply("Less", node.apply("Abs", x), number(0.5)), near, far);
    }

    private String binary(Binary.Kind kind, String y) {
        boolean integers = node.type(0).dtype().isInteger();
        return switch (kind) {
            case ADD -> node.apply("Add", x, y);
            case SUB -> node.apply("Sub", x, y);
            case MUL -> node.apply("Mul", x, y);
            case DIV -> node.apply("Div", x, y);
            case MIN -> node.apply("Min", x, y);
            case MAX -> node.apply("Max", x, y);
            case POW -> node.apply("Pow", x, y);
            case AND -> node.apply("And", x, y);
            case OR -> node.apply("Or", x, y);
            case FLOORDIV -> integers ? byZeroZero(y, d -> quotient(x, d)) : floorQuotient(y);
            case REMAINDER -> integers ? byZeroZero(y, d -> node.apply("Mod", x, d)) : remainder(y);
            case FMOD -> integers ? byZeroZero(y, this::rest) : rest(y);
            case ATAN2 -> angle(y);
        };
    }

    /** Of integers, where a division by 0 gives 0. */
    private String byZeroZero(String y, UnaryOperator<String> quotient) {
        String zero = node.apply("Equal", y, number(0));
        String result = quotient.apply(node.apply("Where", zero, number(1), y));
        return node.apply("Where", zero, number(0), result);
    }

    private String rest(String y) {
        return node.apply("Mod", List.of(x, y), Attribute.of("fmod", 1));
    }

    /** Rounded down, of integers, for which ONNX rounds towards 0. */
    private String quotient(String a, String b) {
        String rest = rest(b);
        String less = node.apply("Xor", node.apply("Less", rest, number(0)), node.apply("Less", b, number(0)));
        String more = node.apply("And", less, node.apply("Not", node.apply("Equal", rest, number(0))));
        String one = node.cast(more, DType.BOOL, node.type(0).dtype());
        return node.apply("Sub", node.apply("Div", a, b), one);
    }

    private String floorQuotient(String y) {
        return node.apply("Round", node.apply("Div", node.apply("Sub", x, remainder(y)), y));
    }

    /** With the sign of the divisor. */
    private String remainder(String y) {
        String rest = rest(y);
        String zero = number(0);
        String other = node.apply("Less", node.apply("Mul", node.apply("Sign", rest), node.apply("Sign", y)), zero);
        return node.apply("Where", other, node.apply("Add", rest, y), rest);
    }

    private String angle(String y) {
        String zero = number(0);
        String flat = node.apply("Atan", node.apply("Div", x, y));
        String pi = number(Math.PI);
        String turn = node.apply("Where", node.apply("Less", x, zero), node.apply("Neg", pi), pi);
        String upright = times(node.apply("Sign", x), Math.PI / 2);
        String left = node.apply("Where", node.apply("Less", y, zero), node.apply("Add", flat, turn), flat);
        return node.apply("Where", node.apply("Equal", y, zero), upright, left);
    }
}
