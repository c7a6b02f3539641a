package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.ElementType;
import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.ir.DType;
import java.util.List;
import java.util.Optional;

/** Integers at equal distances as floating point numbers, which are counted as such. */
final class CountPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        if (!last.operator().equals("Cast") || !last.domain().isEmpty() || !isWide(last)) {
            return Optional.empty();
        }
        return wiring.maker(last.inputs().getFirst(), "Range")
                .filter(range -> wiring.constant(range.inputs().getFirst())
                        .filter(start -> start.dtype().isInteger())
                        .isPresent())
                .map(range -> List.of(Wiring.instead(
                        last, "Count", range.inputs(), last.attributes().get("to"))));
    }

    /** Whether every number that is counted to is one of the type. */
    private static boolean isWide(OnnxNode cast) {
        OnnxAttribute to = cast.attributes().get("to");
        return to != null
                && to.integers().size() == 1
                && ElementType.of(to.integers().getFirst())
                        .flatMap(ElementType::dtype)
                        .filter(dtype -> dtype == DType.F32 || dtype == DType.F64)
                        .isPresent();
    }
}
