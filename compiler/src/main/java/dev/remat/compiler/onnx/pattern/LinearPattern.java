package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import java.util.List;
import java.util.Optional;

/** A product with a weight that is nobody else's, and perhaps a bias: a linear layer. */
final class LinearPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        return switch (last.operator()) {
            case "Add" -> biased(last, wiring);
            case "MatMul" -> alone(last, wiring);
            case "Gemm" -> gemm(last, wiring);
            default -> Optional.empty();
        };
    }

    private static boolean isLinear(OnnxNode product, Wiring wiring) {
        return product.inputs().size() == 2
                && wiring.ownWeight(product.inputs().getLast(), 2).isPresent();
    }

    private static Optional<List<OnnxNode>> biased(OnnxNode sum, Wiring wiring) {
        if (sum.inputs().size() != 2) {
            return Optional.empty();
        }
        for (String bias : sum.inputs()) {
            Optional<OnnxNode> product = Wiring.other(sum, bias)
                    .flatMap(other -> wiring.inner(other, "MatMul"))
                    .filter(each -> isLinear(each, wiring));
            if (product.isPresent() && isBias(bias, product.get().inputs().getLast(), 1, wiring)) {
                OnnxNode of = product.get().name().isEmpty() ? sum : product.get();
                return Optional.of(List.of(Wiring.made(
                        of,
                        "Linear",
                        List.of(
                                product.get().inputs().getFirst(),
                                product.get().inputs().getLast(),
                                bias),
                        sum.outputs())));
            }
        }
        return Optional.empty();
    }

    /** Whether a value is a bias of as many numbers as the weight has along an axis. */
    private static boolean isBias(String bias, String weight, int axis, Wiring wiring) {
        Optional<OnnxTensor> numbers = wiring.ownWeight(bias, 1);
        return numbers.isPresent()
                && numbers.get()
                        .shape()
                        .getFirst()
                        .equals(wiring.weight(weight, 2).orElseThrow().shape().get(axis));
    }

    /** One whose sum is matched with it is left to that. */
    private static Optional<List<OnnxNode>> alone(OnnxNode product, Wiring wiring) {
        return isLinear(product, wiring)
                ? Optional.of(List.of(Wiring.instead(product, "Linear", product.inputs())))
                : Optional.empty();
    }

    private static Optional<List<OnnxNode>> gemm(OnnxNode gemm, Wiring wiring) {
        boolean isPlain = isOne(gemm, "alpha") && isOne(gemm, "beta") && !isSet(gemm, "transA");
        boolean isTransposed = isSet(gemm, "transB");
        if (!isPlain || wiring.ownWeight(gemm.inputs().get(1), 2).isEmpty()) {
            return Optional.empty();
        }
        boolean hasBias = gemm.inputs().size() > 2;
        if (hasBias && !isBias(gemm.inputs().get(2), gemm.inputs().get(1), isTransposed ? 0 : 1, wiring)) {
            return Optional.empty();
        }
        return Optional.of(List.of(Wiring.instead(gemm, isTransposed ? "LinearByRows" : "Linear", gemm.inputs())));
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
