package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/** Rows of a table, by numbers that come from outside; or by their place, the first of them. */
final class EmbeddingPattern implements Pattern {
    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        if (!last.domain().isEmpty()) {
            return Optional.empty();
        }
        return switch (last.operator()) {
            case "Gather" -> rows(last, wiring);
            case "Slice" -> places(last, wiring);
            case "Add" -> added(last, wiring);
            default -> Optional.empty();
        };
    }

    private static Optional<List<OnnxNode>> rows(OnnxNode gather, Wiring wiring) {
        boolean isTable = wiring.weight(gather.inputs().getFirst(), 2).isPresent()
                && wiring.constant(gather.inputs().getLast()).isEmpty()
                && (!gather.attributes().containsKey("axis")
                        || gather.attributes().get("axis").integers().equals(List.of(0L)));
        return isTable
                ? Optional.of(List.of(Wiring.instead(
                        gather,
                        "Embedding",
                        gather.inputs(),
                        OnnxAttribute.of(
                                "shared", wiring.isReadOnce(gather.inputs().getFirst()) ? 0 : 1))))
                : Optional.empty();
    }

    private static Optional<List<OnnxNode>> places(OnnxNode slice, Wiring wiring) {
        List<String> inputs = slice.inputs();
        boolean isTable = wiring.ownWeight(inputs.getFirst(), 2).isPresent()
                && inputs.size() >= 4
                && wiring.isInteger(inputs.get(1), 0)
                && wiring.isInteger(inputs.get(3), 0)
                && (inputs.size() == 4 || wiring.isInteger(inputs.get(4), 1));
        return isTable ? Optional.of(List.of(Wiring.instead(slice, "Positions", inputs))) : Optional.empty();
    }

    /** A table that is added as a whole. */
    private static Optional<List<OnnxNode>> added(OnnxNode sum, Wiring wiring) {
        return sum.inputs().stream()
                .filter(table -> table.endsWith(".weight")
                        && wiring.ownWeight(table, 2).isPresent()
                        && Wiring.other(sum, table).isPresent())
                .findFirst()
                .map(table -> {
                    String rows = sum.outputs().getFirst() + " positions";
                    List<String> inputs = sum.inputs().stream()
                            .map(input -> input.equals(table) ? rows : input)
                            .toList();
                    return List.of(
                            Wiring.made(sum, "Positions", List.of(table), List.of(rows)),
                            new OnnxNode(
                                    sum.name(),
                                    sum.domain(),
                                    sum.operator(),
                                    inputs,
                                    sum.outputs(),
                                    sum.attributes(),
                                    sum.metadata()));
                });
    }
}
