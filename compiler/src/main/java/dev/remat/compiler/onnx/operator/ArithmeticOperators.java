package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;
import static dev.remat.compiler.onnx.rule.Operator.direct;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.List;

/** Functions of every two elements of tensors that repeat to one shape. */
final class ArithmeticOperators {
    private ArithmeticOperators() {}

    static List<Operator> table() {
        return List.of(
                infix("Add", "+"),
                infix("Sub", "-"),
                infix("Mul", "*"),
                direct("Div", ArithmeticOperators::quotient),
                direct("Pow", ArithmeticOperators::power),
                composed("Mod", ArithmeticOperators::modulo),
                infix("Greater", ">"),
                infix("GreaterOrEqual", ">="),
                infix("Less", "<"),
                infix("LessOrEqual", "<="),
                direct("Equal", ArithmeticOperators::equal),
                infix("And", "and"),
                infix("Or", "or"),
                composed("Xor", ArithmeticOperators::differ),
                direct("Where", use -> use.out().where(use.in(0), use.in(1), use.in(2))),
                direct("Max", use -> all(use, "max")),
                direct("Min", use -> all(use, "min")),
                composed("Sum", ArithmeticOperators::sum),
                composed("Mean", ArithmeticOperators::mean));
    }

    private static Operator infix(String name, String operator) {
        return direct(name, use -> use.out().infix(operator, use.in(0), second(use)));
    }

    /** The second operand, which before version 7 stood at an axis of the first one. */
    private static Tensor second(Use use) {
        Tensor b = use.in(1);
        if (use.opset() >= 7 || !use.flag("broadcast", false) || !use.has("axis")) {
            return b;
        }
        int axis = use.axis("axis", 0, use.in(0).rank());
        List<Dim> dims = new ArrayList<>(b.dims());
        while (dims.size() + axis < use.in(0).rank()) {
            dims.add(Dim.ONE);
        }
        return use.out().reshape(b, dims);
    }

    private static Tensor quotient(Use use) {
        Expressions out = use.out();
        Tensor a = use.in(0);
        Tensor b = second(use);
        if (!a.dtype().isInteger()) {
            return out.infix("/", a, b);
        }
        // Integers are divided towards 0.
        Tensor size = out.binary("floordiv", out.unary("abs", a), out.unary("abs", b));
        return out.infix("*", size, out.infix("*", out.unary("sign", a), out.unary("sign", b)));
    }

    private static Tensor power(Use use) {
        Expressions out = use.out();
        Tensor a = use.in(0);
        Tensor b = second(use);
        if (a.dtype().isFloat()) {
            return out.infix("**", a, out.cast(b, a.dtype()));
        }
        if (b.dtype().isFloat()) {
            return out.cast(out.infix("**", out.cast(a, b.dtype()), b), a.dtype());
        }
        // Powers of integers are exact in f64 as long as they are below 2^53.
        return out.cast(out.infix("**", out.cast(a, DType.F64), out.cast(b, DType.F64)), a.dtype());
    }

    private static Tensor modulo(Use use) {
        boolean isTruncated = use.flag("fmod", false);
        return isTruncated
                ? use.out().binary("fmod", use.in(0), use.in(1))
                : use.out().infix("%", use.in(0), use.in(1));
    }

    private static Tensor equal(Use use) {
        Expressions out = use.out();
        return use.in(0).dtype() == DType.BOOL
                ? out.infix("==", out.cast(use.in(0), DType.I32), out.cast(use.in(1), DType.I32))
                : out.infix("==", use.in(0), second(use));
    }

    private static Tensor differ(Use use) {
        Expressions out = use.out();
        return out.infix("!=", out.cast(use.in(0), DType.I32), out.cast(use.in(1), DType.I32));
    }

    private static Tensor all(Use use, String function) {
        List<Tensor> operands = use.all();
        return operands.stream()
                .skip(1)
                .reduce(operands.getFirst(), (a, b) -> use.out().binary(function, a, b));
    }

    private static Tensor sum(Use use) {
        List<Tensor> operands = use.all();
        return operands.stream()
                .skip(1)
                .reduce(operands.getFirst(), (a, b) -> use.out().infix("+", a, b));
    }

    private static Tensor mean(Use use) {
        Tensor sum = sum(use);
        return use.all().size() == 1
                ? sum
                : use.out()
                        .infix("/", sum, use.out().number(sum.dtype(), use.all().size()));
    }
}
