package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/** x·sigmoid(x). */
final class SiluPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        if (!last.operator().equals("Mul") || last.inputs().size() != 2) {
            return Optional.empty();
        }
        return last.inputs().stream()
                .filter(x -> Wiring.other(last, x)
                        .flatMap(other -> wiring.inner(other, "Sigmoid"))
                        .filter(gate -> gate.inputs().getFirst().equals(x))
                        .isPresent())
                .findFirst()
                .map(x -> List.of(Wiring.instead(last, "Silu", List.of(x))));
    }
}
