package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/** x/√(mean of x² + eps)·w over one axis, where the root is divided by, or its reciprocal a factor. */
final class RmsNormPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        if (!last.operator().equals("Mul") || last.inputs().size() != 2) {
            return Optional.empty();
        }
        for (String scale : last.inputs()) {
            String normal = Wiring.other(last, scale).orElseThrow();
            if (wiring.ownWeight(scale, 1).isPresent()) {
                Optional<List<OnnxNode>> found = wiring.inner(normal, "Div")
                        .flatMap(quotient -> normal(
                                last,
                                scale,
                                quotient.inputs().getFirst(),
                                quotient.inputs().getLast(),
                                wiring))
                        .or(() -> byReciprocal(last, scale, normal, wiring));
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<List<OnnxNode>> byReciprocal(OnnxNode last, String scale, String normal, Wiring wiring) {
        Optional<OnnxNode> product =
                wiring.inner(normal, "Mul").filter(node -> node.inputs().size() == 2);
        if (product.isEmpty()) {
            return Optional.empty();
        }
        return product.get().inputs().stream()
                .flatMap(factor -> {
                    String x = Wiring.other(product.get(), factor).orElseThrow();
                    Optional<String> root = wiring.inner(factor, "Reciprocal")
                            .map(node -> node.inputs().getFirst())
                            .or(() -> wiring.inner(factor, "Div")
                                    .filter(node ->
                                            wiring.isNumber(node.inputs().getFirst(), 1))
                                    .map(node -> node.inputs().getLast()));
                    return root.flatMap(name -> normal(last, scale, x, name, wiring)).stream();
                })
                .findFirst();
    }

    private static Optional<List<OnnxNode>> normal(OnnxNode last, String scale, String x, String root, Wiring wiring) {
        Optional<OnnxNode> sum = wiring.inner(root, "Sqrt")
                .flatMap(node -> wiring.inner(node.inputs().getFirst(), "Add"));
        return sum.stream()
                .flatMap(node -> node.inputs().stream())
                .filter(epsilon -> wiring.number(epsilon).isPresent())
                .flatMap(epsilon -> Wiring.other(sum.get(), epsilon)
                        .flatMap(mean -> wiring.inner(mean, "ReduceMean"))
                        .filter(mean -> Wiring.keeps(mean)
                                && wiring.axis(mean).isPresent()
                                && isSquare(mean.inputs().getFirst(), x, wiring))
                        .map(mean -> List.of(Wiring.instead(
                                last,
                                "RmsNorm",
                                List.of(x, scale),
                                Wiring.real("epsilon", wiring.number(epsilon).get()),
                                OnnxAttribute.of("axis", wiring.axis(mean).get()))))
                        .stream())
                .findFirst();
    }

    private static boolean isSquare(String name, String x, Wiring wiring) {
        boolean isPower = wiring.inner(name, "Pow")
                .filter(power -> power.inputs().getFirst().equals(x)
                        && wiring.isNumber(power.inputs().getLast(), 2))
                .isPresent();
        return isPower
                || wiring.inner(name, "Mul")
                        .filter(product -> product.inputs().equals(List.of(x, x)))
                        .isPresent();
    }
}
