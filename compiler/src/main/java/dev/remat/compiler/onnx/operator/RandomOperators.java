package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.direct;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.List;

/** Random draws, by the seed of the training: no two runtimes share them. */
final class RandomOperators {
    private RandomOperators() {}

    static List<Operator> table() {
        return List.of(
                direct("RandomNormal", use -> drawn(use, "randn", "mean", 0, "scale", 1, ofAttribute(use))),
                direct("RandomUniform", use -> drawn(use, "rand", "low", 0, "high", 1, ofAttribute(use))),
                direct("RandomNormalLike", use -> drawn(use, "randn", "mean", 0, "scale", 1, like(use))),
                direct("RandomUniformLike", use -> drawn(use, "rand", "low", 0, "high", 1, like(use))),
                direct("Bernoulli", RandomOperators::bernoulli));
    }

    private static TensorType ofAttribute(Use use) {
        List<Dim> dims = use.integers("shape").orElseThrow(() -> use.detail("it lacks its shape")).stream()
                .map(Dim::of)
                .toList();
        return new TensorType(ElementwiseOperators.dtype(use, "dtype"), new Shape(dims));
    }

    private static TensorType like(Use use) {
        TensorType type = use.in(0).type();
        return use.has("dtype") ? type.with(ElementwiseOperators.dtype(use, "dtype")) : type;
    }

    private static Tensor drawn(
            Use use, String function, String first, double one, String second, double other, TensorType type) {
        return use.out()
                .call(
                        function,
                        type,
                        type.shape().dims(),
                        use.real(first, one),
                        use.real(second, other),
                        Expressions.named("dtype", type.dtype()));
    }

    private static Tensor bernoulli(Use use) {
        Tensor p = use.in(0);
        DType dtype = use.has("dtype") ? ElementwiseOperators.dtype(use, "dtype") : p.dtype();
        return use.out().cast(use.out().unary("bernoulli", p), dtype);
    }
}
