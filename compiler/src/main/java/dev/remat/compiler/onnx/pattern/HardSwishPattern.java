package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** x·min(max(x + 3, 0), 6)/6, as Paddle writes it; or times one sixth; or by x's hard sigmoid of that slope. */
final class HardSwishPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        Optional<String> x = switch (last.operator()) {
            case "Div" ->
                wiring.isNumber(last.inputs().getLast(), 6)
                        ? wiring.inner(last.inputs().getFirst(), "Mul").flatMap(inner -> gated(inner, wiring))
                        : Optional.empty();
            case "Mul" ->
                last.inputs().stream()
                        .filter(sixth -> wiring.isNumber(sixth, 1.0 / 6))
                        .flatMap(sixth -> Wiring.other(last, sixth).stream())
                        .flatMap(product -> wiring.inner(product, "Mul").stream())
                        .flatMap(inner -> gated(inner, wiring).stream())
                        .findFirst()
                        .or(() -> bySigmoid(last, wiring));
            default -> Optional.empty();
        };
        return x.map(name -> List.of(Wiring.instead(last, "HardSwish", List.of(name))));
    }

    /** x of x·clip(x + 3, 0, 6). */
    private static Optional<String> gated(OnnxNode product, Wiring wiring) {
        return product.inputs().stream()
                .filter(x -> Wiring.other(product, x)
                        .flatMap(gate -> wiring.inner(gate, "Clip"))
                        .filter(clip -> wiring.isBetween(clip, 0, 6))
                        .flatMap(clip -> wiring.inner(clip.inputs().getFirst(), "Add"))
                        .flatMap(sum -> Wiring.other(sum, x))
                        .filter(three -> wiring.isNumber(three, 3))
                        .isPresent())
                .findFirst();
    }

    private static Optional<String> bySigmoid(OnnxNode product, Wiring wiring) {
        return product.inputs().stream()
                .filter(x -> Wiring.other(product, x)
                        .flatMap(gate -> wiring.inner(gate, "HardSigmoid"))
                        .filter(gate -> gate.inputs().equals(List.of(x))
                                && Stream.of("alpha", "beta").allMatch(gate.attributes()::containsKey)
                                && gate.attributes().get("beta").reals().equals(List.of(0.5f))
                                && Math.abs(gate.attributes()
                                                        .get("alpha")
                                                        .reals()
                                                        .getFirst()
                                                - 1.0 / 6)
                                        < 1e-6)
                        .isPresent())
                .findFirst();
    }
}
