package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/** Rows of a table that is nobody else's. */
final class EmbeddingPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        boolean isTable = last.operator().equals("Gather")
                && last.domain().isEmpty()
                && wiring.ownWeight(last.inputs().getFirst(), 2).isPresent()
                && (!last.attributes().containsKey("axis")
                        || last.attributes().get("axis").integers().equals(List.of(0L)));
        return isTable ? Optional.of(List.of(Wiring.instead(last, "Embedding", last.inputs()))) : Optional.empty();
    }
}
