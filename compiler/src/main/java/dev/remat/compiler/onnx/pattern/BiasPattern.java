package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.read.OnnxTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What is added to each feature or channel that a layer without a bias gives: its bias. */
final class BiasPattern implements Pattern {
    /** Names as frameworks give them to parameters; exporters call what they have made otherwise. */
    private static final String GIVEN = "[A-Za-z_]\\w*(\\.\\w+)*";

    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        if (!last.operator().equals("Add") || last.inputs().size() != 2) {
            return Optional.empty();
        }
        for (String bias : last.inputs()) {
            Optional<OnnxNode> layer = Wiring.other(last, bias).flatMap(other -> layer(other, wiring));
            if (layer.isPresent()) {
                Optional<String> vector = bias(bias, layer.get(), last, wiring);
                if (vector.isPresent()) {
                    List<String> inputs = new ArrayList<>(layer.get().inputs());
                    inputs.add(vector.get());
                    OnnxNode of = layer.get().name().isEmpty() ? last : layer.get();
                    return Optional.of(List.of(new OnnxNode(
                            of.name(),
                            Wiring.DOMAIN,
                            layer.get().operator(),
                            inputs,
                            last.outputs(),
                            layer.get().attributes(),
                            of.metadata())));
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<OnnxNode> layer(String name, Wiring wiring) {
        return List.of("Linear", "LinearByRows", "Conv", "ConvTranspose").stream()
                .flatMap(operator -> wiring.inner(name, operator).stream())
                .filter(node ->
                        node.domain().equals(Wiring.DOMAIN) && node.inputs().size() == 2)
                .findFirst();
    }

    /** The weight that is a layer's bias when it is added in this shape. */
    private static Optional<String> bias(String name, OnnxNode layer, OnnxNode last, Wiring wiring) {
        String weight = layer.inputs().get(1);
        boolean isLinear = layer.operator().startsWith("Linear");
        if (isLinear) {
            return Optional.of(name)
                    .filter(bias -> fits(bias, 1, weight, layer.operator().equals("Linear") ? 1 : 0, wiring));
        }
        int axes = rank(weight, wiring) - 2;
        int channels = layer.operator().equals("Conv") ? 0 : 1;
        Optional<OnnxNode> reshape =
                wiring.inner(name, "Reshape").filter(node -> node.inputs().size() == 2);
        if (reshape.isPresent()) {
            String vector = unexpanded(reshape.get().inputs().getFirst(), wiring);
            return wiring.integers(reshape.get(), 1, "shape")
                    .filter(shape -> isOfChannels(shape, axes))
                    .map(_ -> vector)
                    .filter(bias -> channels == 0
                            ? fits(bias, 1, weight, channels, wiring)
                            : isNamed(bias, weight) && wiring.ownWeight(bias, 1).isPresent());
        }
        if (isAtChannels(last)) {
            return Optional.of(name).filter(bias -> fits(bias, 1, weight, channels, wiring));
        }
        return Optional.of(name)
                .filter(bias -> wiring.isReadOnce(bias) && isNamed(bias, weight))
                .filter(bias -> wiring.tensor(bias)
                        .filter(tensor -> isOfChannels(tensor.shape(), axes))
                        .isPresent());
    }

    /** Whether the second operand stands at the axis of channels, as before version 7. */
    private static boolean isAtChannels(OnnxNode add) {
        return Stream.of("axis", "broadcast")
                .allMatch(name -> add.attributes().containsKey(name)
                        && add.attributes().get(name).integers().equals(List.of(1L)));
    }

    /** A single number before it got axes of extent 1. */
    private static String unexpanded(String name, Wiring wiring) {
        return wiring.inner(name, "Expand")
                .filter(node -> wiring.integers(node, 1, "shape")
                        .filter(shape -> shape.stream().allMatch(extent -> extent == 1))
                        .isPresent())
                .map(node -> node.inputs().getFirst())
                .orElse(name);
    }

    private static int rank(String weight, Wiring wiring) {
        return wiring.tensor(weight).map(tensor -> tensor.shape().size()).orElse(2);
    }

    /** [C, 1, 1], or [1, C, 1, 1], for so many axes behind the channels. */
    private static boolean isOfChannels(List<Long> shape, int axes) {
        List<Long> behind = shape.subList(Math.max(0, shape.size() - axes), shape.size());
        return (shape.size() == axes + 1 || shape.size() == axes + 2 && shape.getFirst() == 1)
                && behind.stream().allMatch(extent -> extent == 1);
    }

    /** Whether a value is a bias of as many numbers as the weight has along an axis. */
    static boolean fits(String bias, int rank, String weight, int axis, Wiring wiring) {
        Optional<OnnxTensor> numbers = wiring.ownWeight(bias, rank);
        Optional<OnnxTensor> matrix = wiring.tensor(weight);
        return numbers.isPresent()
                && matrix.isPresent()
                && isNamed(bias, weight)
                && numbers.get().shape().getFirst().equals(matrix.get().shape().get(axis));
    }

    /** Whether both may be of one layer, by what they are called: another layer's bias is not this one's. */
    private static boolean isNamed(String bias, String weight) {
        boolean saysModule = weight.matches(GIVEN) && weight.endsWith(".weight");
        String module = weight.replaceFirst("\\.weight$", "");
        return !saysModule || !bias.matches(GIVEN) || bias.equals(module + ".bias");
    }
}
