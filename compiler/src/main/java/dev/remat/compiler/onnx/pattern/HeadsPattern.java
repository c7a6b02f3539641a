package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/** Reshape and Transpose that split the last axis into heads, or put heads together again. */
final class HeadsPattern implements Pattern {
    private static final List<Long> SWAPPED = List.of(0L, 2L, 1L, 3L);
    private static final List<Long> SWAPPED_AND_TRANSPOSED = List.of(0L, 2L, 3L, 1L);

    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        return switch (last.operator()) {
            case "Transpose" -> split(last, wiring);
            case "Reshape" ->
                wiring.inner(last.inputs().getFirst(), "Transpose")
                        .filter(turned -> SWAPPED.equals(order(turned)))
                        .map(turned -> List.of(Wiring.instead(
                                last,
                                "MergeHeads",
                                List.of(
                                        turned.inputs().getFirst(),
                                        last.inputs().getLast()))));
            default -> Optional.empty();
        };
    }

    private static List<Long> order(OnnxNode transpose) {
        OnnxAttribute order = transpose.attributes().get("perm");
        return order == null ? List.of() : order.integers();
    }

    private static Optional<List<OnnxNode>> split(OnnxNode last, Wiring wiring) {
        Optional<OnnxNode> reshape = wiring.inner(last.inputs().getFirst(), "Reshape")
                .filter(node -> node.inputs().size() == 2 && node.domain().isEmpty());
        if (reshape.isEmpty()) {
            return Optional.empty();
        }
        if (SWAPPED.equals(order(last))) {
            return Optional.of(
                    List.of(Wiring.instead(last, "SplitHeads", reshape.get().inputs())));
        }
        if (SWAPPED_AND_TRANSPOSED.equals(order(last))) {
            String heads = last.outputs().getFirst() + " heads";
            return Optional.of(List.of(
                    Wiring.made(last, "SplitHeads", reshape.get().inputs(), List.of(heads)),
                    Wiring.instead(last, "LastTransposed", List.of(heads))));
        }
        return Optional.empty();
    }
}
