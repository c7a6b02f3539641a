package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.ir.Dim;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

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
        Optional<List<OnnxNode>> byPlace = byPlace(gather, wiring);
        if (byPlace.isPresent()) {
            return byPlace;
        }
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

    /** Rows 0, 1, 2 and so on, as ids that the file has sliced or counts, where they are added to rows of tokens. */
    private static Optional<List<OnnxNode>> byPlace(OnnxNode gather, Wiring wiring) {
        String ids = gather.inputs().getLast();
        boolean isOwn = wiring.ownWeight(gather.inputs().getFirst(), 2).isPresent();
        boolean counts = wiring.inner(ids, "Slice")
                .filter(slice -> isOfCounts(slice, wiring))
                .isPresent();
        boolean isAdded = wiring.onlyReader(gather.outputs().getFirst())
                .filter(sum -> sum.operator().equals("Add") && sum.inputs().size() == 2)
                .flatMap(sum -> Wiring.other(sum, gather.outputs().getFirst()))
                .filter(other -> isOfTokens(other, wiring))
                .isPresent();
        return isOwn && counts && isAdded
                ? Optional.of(List.of(Wiring.instead(gather, "PositionsOf", gather.inputs())))
                : Optional.empty();
    }

    private static boolean isOfCounts(OnnxNode slice, Wiring wiring) {
        Optional<List<Long>> numbers = wiring.constant(slice.inputs().getFirst())
                .filter(constant -> !constant.dtype().isFloat())
                .map(constant -> constant.integers().stream().map(Dim::value).toList());
        return numbers.isPresent()
                && numbers.get()
                        .equals(LongStream.range(0, numbers.get().size())
                                .boxed()
                                .toList())
                && slice.inputs().size() >= 4
                && wiring.isInteger(slice.inputs().get(1), 0)
                && (slice.inputs().size() == 4
                        || wiring.isInteger(slice.inputs().get(4), 1));
    }

    /** Whether a value has an axis of the batch: rows of a table by ids that are given, or a sum with such. */
    private static boolean isOfTokens(String name, Wiring wiring) {
        boolean isRows = wiring.maker(name, "Gather")
                .or(() -> wiring.maker(name, "Embedding"))
                .filter(rows -> wiring.isInput(rows.inputs().getLast()))
                .isPresent();
        return isRows
                || wiring.maker(name, "Add")
                        .filter(sum -> sum.inputs().stream().anyMatch(part -> isOfTokens(part, wiring)))
                        .isPresent();
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
