package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** x·Φ(x), by the error function or by tanh: products of x, one half and one plus either, in whatever order. */
final class GeluPattern implements Pattern {
    private static final double CUBE = 0.044715;

    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        if (!last.operator().equals("Mul") || last.inputs().size() != 2) {
            return Optional.empty();
        }
        List<String> factors = new ArrayList<>();
        last.inputs().forEach(input -> collect(input, wiring, factors));
        factors.sort((a, b) -> Boolean.compare(wiring.isNumber(b, 0.5), wiring.isNumber(a, 0.5)));
        if (factors.size() != 3 || !wiring.isNumber(factors.getFirst(), 0.5)) {
            return Optional.empty();
        }
        for (int i = 1; i < 3; i++) {
            String x = factors.get(i);
            Optional<String> inner = onePlus(factors.get(3 - i), wiring);
            if (inner.isPresent() && isErf(inner.get(), x, wiring)) {
                return Optional.of(List.of(Wiring.instead(last, "Gelu", List.of(x))));
            }
            if (inner.isPresent() && isTanh(inner.get(), x, wiring)) {
                return Optional.of(List.of(Wiring.instead(
                        last,
                        "Gelu",
                        List.of(x),
                        new OnnxAttribute(
                                "approximate", "", List.of(), List.of(), List.of("tanh"), List.of(), List.of()))));
            }
        }
        return Optional.empty();
    }

    private static void collect(String name, Wiring wiring, List<String> factors) {
        Optional<OnnxNode> product =
                wiring.inner(name, "Mul").filter(node -> node.inputs().size() == 2);
        if (product.isEmpty() || factors.size() > 3) {
            factors.add(name);
        } else {
            product.get().inputs().forEach(input -> collect(input, wiring, factors));
        }
    }

    private static Optional<String> onePlus(String name, Wiring wiring) {
        return wiring.inner(name, "Add")
                .flatMap(sum -> sum.inputs().stream()
                        .filter(input -> wiring.isNumber(input, 1))
                        .findFirst()
                        .flatMap(one -> Wiring.other(sum, one)));
    }

    private static boolean isErf(String name, String x, Wiring wiring) {
        return wiring.inner(name, "Erf")
                .map(erf -> erf.inputs().getFirst())
                .filter(scaled -> wiring.inner(scaled, "Div")
                                .filter(div -> div.inputs().getFirst().equals(x)
                                        && wiring.isNumber(div.inputs().getLast(), Math.sqrt(2)))
                                .isPresent()
                        || isMultiple(scaled, x, Math.sqrt(0.5), wiring))
                .isPresent();
    }

    private static boolean isMultiple(String name, String x, double factor, Wiring wiring) {
        return wiring.inner(name, "Mul")
                .flatMap(product -> Wiring.other(product, x))
                .filter(other -> wiring.isNumber(other, factor))
                .isPresent();
    }

    private static boolean isTanh(String name, String x, Wiring wiring) {
        Optional<OnnxNode> sum = wiring.inner(name, "Tanh")
                .flatMap(tanh -> wiring.inner(tanh.inputs().getFirst(), "Mul"))
                .flatMap(scaled -> scaled.inputs().stream()
                        .filter(input -> wiring.isNumber(input, Math.sqrt(2 / Math.PI)))
                        .findFirst()
                        .flatMap(factor -> Wiring.other(scaled, factor)))
                .flatMap(inner -> wiring.inner(inner, "Add"));
        Optional<OnnxNode> cubic =
                sum.flatMap(all -> Wiring.other(all, x)).flatMap(other -> wiring.inner(other, "Mul"));
        return cubic.stream()
                .flatMap(node -> node.inputs().stream()
                        .filter(input -> wiring.isNumber(input, CUBE))
                        .flatMap(factor -> Wiring.other(node, factor).stream()))
                .anyMatch(cube -> isCube(cube, x, wiring));
    }

    private static boolean isCube(String name, String x, Wiring wiring) {
        boolean isPower = wiring.inner(name, "Pow")
                .filter(power -> power.inputs().getFirst().equals(x)
                        && wiring.isNumber(power.inputs().getLast(), 3))
                .isPresent();
        return isPower
                || wiring.inner(name, "Mul")
                        .flatMap(product -> Wiring.other(product, x))
                        .flatMap(square -> wiring.inner(square, "Mul"))
                        .filter(square -> square.inputs().equals(List.of(x, x)))
                        .isPresent();
    }
}
