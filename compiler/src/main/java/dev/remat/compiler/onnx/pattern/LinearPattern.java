package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A product with a matrix of weights: a linear layer, which owns the matrix if nobody else reads it. */
final class LinearPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        if (!last.domain().isEmpty() || last.inputs().size() < 2) {
            return Optional.empty();
        }
        return switch (last.operator()) {
            case "MatMul" -> product(last, wiring);
            case "Gemm" -> gemm(last, wiring);
            default -> Optional.empty();
        };
    }

    private static Optional<List<OnnxNode>> product(OnnxNode product, Wiring wiring) {
        String right = product.inputs().getLast();
        Optional<String> rows = wiring.transposed(right, 1L, 0L);
        if (rows.filter(name -> wiring.weight(name, 2).isPresent()).isPresent()) {
            List<String> inputs = List.of(product.inputs().getFirst(), rows.get());
            boolean isOwn = wiring.isReadOnce(right) && wiring.isReadOnce(rows.get());
            return Optional.of(List.of(Wiring.instead(product, isOwn ? "LinearByRows" : "LinearOfShared", inputs)));
        }
        return wiring.ownWeight(right, 2).isPresent()
                ? Optional.of(List.of(Wiring.instead(product, "Linear", product.inputs())))
                : Optional.empty();
    }

    private static Optional<List<OnnxNode>> gemm(OnnxNode gemm, Wiring wiring) {
        boolean isPlain = isOne(gemm, "alpha") && isOne(gemm, "beta") && !isSet(gemm, "transA");
        boolean isTransposed = isSet(gemm, "transB");
        String weight = gemm.inputs().get(1);
        boolean isOwn = wiring.isReadOnce(weight);
        if (!isPlain || wiring.weight(weight, 2).isEmpty() || !isOwn && !isTransposed) {
            return Optional.empty();
        }
        List<String> inputs = new ArrayList<>(gemm.inputs());
        inputs.removeIf(String::isEmpty);
        boolean hasBias = inputs.size() > 2;
        if (hasBias && isOwn && !BiasPattern.fits(inputs.get(2), 1, weight, isTransposed ? 0 : 1, wiring)) {
            return Optional.empty();
        }
        String operator = !isOwn ? "LinearOfShared" : isTransposed ? "LinearByRows" : "Linear";
        return Optional.of(List.of(Wiring.instead(gemm, operator, inputs)));
    }

    private static boolean isOne(OnnxNode node, String attribute) {
        return !node.attributes().containsKey(attribute)
                || node.attributes().get(attribute).reals().equals(List.of(1f));
    }

    private static boolean isSet(OnnxNode node, String attribute) {
        return node.attributes().containsKey(attribute)
                && !node.attributes().get(attribute).integers().equals(List.of(0L));
    }
}
