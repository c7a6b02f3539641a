package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/** not a == b, for which ONNX has no operator. */
final class NotEqualPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        return last.operator().equals("Not") && last.domain().isEmpty()
                ? wiring.inner(last.inputs().getFirst(), "Equal")
                        .map(equal -> List.of(Wiring.instead(last, "NotEqual", equal.inputs())))
                : Optional.empty();
    }
}
