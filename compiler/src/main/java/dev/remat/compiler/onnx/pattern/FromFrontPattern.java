package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/** Picks by number in files from here, which hold no numbers that count from the end. */
final class FromFrontPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        boolean picks = last.operator().equals("Gather") || last.operator().equals("GatherElements");
        return picks && last.domain().isEmpty()
                ? Optional.of(List.of(Wiring.instead(
                        last,
                        last.operator(),
                        last.inputs(),
                        last.attributes().values().toArray(OnnxAttribute[]::new))))
                : Optional.empty();
    }
}
