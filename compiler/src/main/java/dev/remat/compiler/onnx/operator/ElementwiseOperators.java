package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;
import static dev.remat.compiler.onnx.rule.Operator.direct;

import dev.remat.compiler.onnx.read.ElementType;
import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Functions of every element of one tensor. */
final class ElementwiseOperators {
    private ElementwiseOperators() {}

    static List<Operator> table() {
        List<Operator> table = new ArrayList<>();
        named().forEach((name, function) ->
                table.add(direct(name, use -> use.out().unary(function, use.in(0)))));
        table.addAll(List.of(
                direct("Neg", use -> use.out().negative(use.in(0))),
                direct("Not", use -> use.out().not(use.in(0))),
                direct("Identity", use -> use.in(0)),
                direct("Cast", use -> use.out().cast(use.in(0), dtype(use, "to"))),
                direct("CastLike", use -> use.out().cast(use.in(0), use.in(1).dtype())),
                direct("Clip", ElementwiseOperators::clip),
                direct("Elu", use -> scaled(use, "elu", "alpha", 1)),
                direct("Celu", use -> scaled(use, "celu", "alpha", 1)),
                direct("LeakyRelu", use -> use.out().unary("leaky_relu", use.in(0), use.real("alpha", 0.01))),
                direct("Gelu", ElementwiseOperators::gelu),
                direct("Swish", ElementwiseOperators::swish),
                direct("Selu", ElementwiseOperators::selu),
                direct("HardSwish", use -> use.out().unary("hardswish", use.in(0))),
                direct("ThresholdedRelu", use -> use.out().unary("threshold", use.in(0), use.real("alpha", 1), 0.0)),
                direct("PRelu", ElementwiseOperators::parametric),
                composed("HardSigmoid", ElementwiseOperators::hardSigmoid),
                composed("Shrink", ElementwiseOperators::shrink),
                composed("IsNaN", ElementwiseOperators::isNan),
                composed("IsInf", ElementwiseOperators::isInfinite)));
        return table;
    }

    /** Builtins without attributes. */
    private static Map<String, String> named() {
        Map<String, String> named = new LinkedHashMap<>();
        for (String name : List.of(
                "Abs",
                "Acos",
                "Acosh",
                "Asin",
                "Asinh",
                "Atan",
                "Atanh",
                "Ceil",
                "Cos",
                "Cosh",
                "Erf",
                "Exp",
                "Floor",
                "Log",
                "Mish",
                "Reciprocal",
                "Relu",
                "Round",
                "Sigmoid",
                "Sign",
                "Sin",
                "Sinh",
                "Softplus",
                "Softsign",
                "Sqrt",
                "Tan",
                "Tanh")) {
            named.put(name, name.toLowerCase(Locale.ROOT));
        }
        return named;
    }

    /** A dtype that an attribute gives by its number. */
    static DType dtype(Use use, String attribute) {
        return dtype(use, use.integer(attribute, 1));
    }

    static DType dtype(Use use, long number) {
        return ElementType.of(number)
                .flatMap(type -> type == ElementType.INT8
                                || type == ElementType.UINT8
                                || type == ElementType.INT16
                                || type == ElementType.UINT16
                        ? Optional.empty()
                        : type.dtype())
                .orElseThrow(() -> use.detail("a model computes with f32, f64, f16, bf16, i32, i64 and bool, not with "
                        + ElementType.of(number).map(Object::toString).orElse("type " + number)));
    }

    private static Tensor scaled(Use use, String function, String attribute, double usual) {
        float value = use.real(attribute, usual);
        return value == usual ? use.out().unary(function, use.in(0)) : use.out().unary(function, use.in(0), value);
    }

    private static Tensor clip(Use use) {
        Tensor x = use.in(0);
        if (use.opset() < 11) {
            return clamp(
                    use,
                    x,
                    Optional.of(use.real("min", -Float.MAX_VALUE)).filter(low -> low > -Float.MAX_VALUE),
                    Optional.of(use.real("max", Float.MAX_VALUE)).filter(high -> high < Float.MAX_VALUE));
        }
        boolean isKnown = use.find(1).map(Tensor::isConstant).orElse(true)
                && use.find(2).map(Tensor::isConstant).orElse(true);
        if (x.dtype().isFloat() && isKnown) {
            return clamp(
                    use,
                    x,
                    use.find(1).map(low -> (float) low.constant().get().real(0)),
                    use.find(2).map(high -> (float) high.constant().get().real(0)));
        }
        Tensor clipped = x;
        if (use.find(1).isPresent()) {
            clipped = use.out().binary("max", clipped, use.in(1));
        }
        return use.find(2).isPresent() ? use.out().binary("min", clipped, use.in(2)) : clipped;
    }

    private static Tensor clamp(Use use, Tensor x, Optional<Float> low, Optional<Float> high) {
        List<Object> bounds = new ArrayList<>();
        low.ifPresent(value -> bounds.add(Expressions.named("min", value)));
        high.ifPresent(value -> bounds.add(Expressions.named("max", value)));
        if (low.isPresent() && high.isPresent() && low.get() > high.get()) {
            return use.out()
                    .binary(
                            "min",
                            use.out().unary("clamp", x, bounds.getFirst()),
                            use.out().number(x.dtype(), high.get()));
        }
        return bounds.isEmpty() ? x : use.out().unary("clamp", x, bounds.toArray());
    }

    private static Tensor gelu(Use use) {
        return use.text("approximate", "none").equals("tanh")
                ? use.out().unary("gelu", use.in(0), Expressions.named("approximate", "tanh"))
                : use.out().unary("gelu", use.in(0));
    }

    private static Tensor swish(Use use) {
        float alpha = use.real("alpha", 1);
        Tensor x = use.in(0);
        return alpha == 1
                ? use.out().unary("silu", x)
                : use.out().infix("*", x, use.out().unary("sigmoid", times(use, x, alpha)));
    }

    /** A multiple of a tensor. */
    static Tensor times(Use use, Tensor x, double factor) {
        return factor == 1 ? x : use.out().infix("*", x, use.out().number(x.dtype(), factor));
    }

    private static Tensor selu(Use use) {
        float alpha = use.real("alpha", 1.6732632f);
        float gamma = use.real("gamma", 1.050701f);
        boolean isUsual = alpha == 1.6732632f && gamma == 1.050701f;
        return isUsual
                ? use.out().unary("selu", use.in(0))
                : times(use, use.out().unary("elu", use.in(0), alpha), gamma);
    }

    private static Tensor parametric(Use use) {
        Tensor x = use.in(0);
        return use.out()
                .where(
                        use.out().infix(">", x, use.out().number(x.dtype(), 0)),
                        x,
                        use.out().infix("*", x, slopes(use)));
    }

    /** One for each channel, which before version 7 is the second axis whatever is behind it. */
    private static Tensor slopes(Use use) {
        Tensor slopes = use.in(1);
        int behind = use.in(0).rank() - 2;
        if (use.opset() >= 7 || slopes.rank() != 1 || slopes.dim(0).is(1) || behind < 1) {
            return slopes;
        }
        List<Dim> dims = new ArrayList<>(Collections.nCopies(behind, Dim.ONE));
        dims.addFirst(slopes.dim(0));
        return use.out().reshape(slopes, dims);
    }

    private static Tensor hardSigmoid(Use use) {
        Tensor x = use.in(0);
        Tensor line = use.out()
                .infix("+", times(use, x, use.real("alpha", 0.2)), use.out().number(x.dtype(), use.real("beta", 0.5)));
        return use.out().unary("clamp", line, 0.0, 1.0);
    }

    private static Tensor shrink(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        float lambda = use.real("lambd", 0.5);
        Tensor bias = out.number(x.dtype(), use.real("bias", 0));
        Tensor above = out.where(
                out.infix(">", x, out.number(x.dtype(), lambda)), out.infix("-", x, bias), out.number(x.dtype(), 0));
        return out.where(out.infix("<", x, out.number(x.dtype(), -lambda)), out.infix("+", x, bias), above);
    }

    private static Tensor isNan(Use use) {
        return use.out().infix("!=", use.in(0), use.in(0));
    }

    private static Tensor isInfinite(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        Tensor infinity = out.number(x.dtype(), Double.POSITIVE_INFINITY);
        boolean above = use.flag("detect_positive", true);
        boolean below = use.flag("detect_negative", true);
        if (above && below) {
            return out.infix("==", out.unary("abs", x), infinity);
        }
        if (!above && !below) {
            throw new RefusedException("it looks for infinities of neither sign");
        }
        return out.infix("==", above ? x : out.negative(x), infinity);
    }
}
