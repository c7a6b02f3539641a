package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Convolutions and normalizations whose weights are nobody else's: layers that own them. */
final class OwnedPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        if (!last.domain().isEmpty()) {
            return Optional.empty();
        }
        boolean isOwned = switch (last.operator()) {
            case "Conv", "ConvTranspose" ->
                IntStream.rangeClosed(3, 5)
                                .anyMatch(rank -> wiring.ownWeight(last.inputs().get(1), rank)
                                        .isPresent())
                        && own(last, 2, wiring);
            case "BatchNormalization" ->
                IntStream.rangeClosed(1, 4).allMatch(i -> own(last, i, wiring))
                        && last.outputs().size() == 1;
            default -> false;
        };
        if (isRmsNorm(last, wiring)) {
            return Optional.of(List.of(Wiring.instead(
                    last, "RmsNorm", last.inputs(), last.attributes().values().toArray(OnnxAttribute[]::new))));
        }
        if (isLayerNorm(last, wiring)) {
            return Optional.of(List.of(Wiring.instead(
                    last, "LayerNorm", last.inputs(), last.attributes().values().toArray(OnnxAttribute[]::new))));
        }
        return isOwned
                ? Optional.of(List.of(new OnnxNode(
                        last.name(),
                        Wiring.DOMAIN,
                        last.operator(),
                        last.inputs(),
                        last.outputs(),
                        last.attributes(),
                        last.metadata())))
                : Optional.empty();
    }

    private static boolean isRmsNorm(OnnxNode node, Wiring wiring) {
        return (node.operator().equals("RMSNormalization") || node.operator().equals("SimplifiedLayerNormalization"))
                && node.outputs().size() == 1
                && own(node, 1, wiring);
    }

    private static boolean isLayerNorm(OnnxNode node, Wiring wiring) {
        return node.operator().equals("LayerNormalization")
                && node.inputs().size() == 3
                && node.outputs().size() == 1
                && own(node, 1, wiring)
                && own(node, 2, wiring)
                && (!node.attributes().containsKey("axis")
                        || node.attributes().get("axis").integers().equals(List.of(-1L)));
    }

    /** Whether an operand is a vector of weights of its own, or left out. */
    private static boolean own(OnnxNode node, int index, Wiring wiring) {
        return index >= node.inputs().size()
                || node.inputs().get(index).isEmpty()
                || wiring.ownWeight(node.inputs().get(index), 1).isPresent();
    }
}
