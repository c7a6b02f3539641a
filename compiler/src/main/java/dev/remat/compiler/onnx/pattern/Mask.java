package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/**
 * A choice between a tensor and a number, element by element.
 *
 * @param name of the bool tensor; empty where elements that are no numbers are replaced
 * @param of the tensor
 * @param value the number
 * @param isInverted whether the number stands where the mask is true
 */
record Mask(String name, String of, double value, boolean isInverted) {
    /** What hides scores, if something does. */
    static Optional<Mask> ofScores(String name, Wiring wiring) {
        return of(name, wiring).filter(mask -> mask.value() < 0);
    }

    /** What sets shares to 0 of queries that attend to nothing. */
    static Optional<Mask> ofShares(String name, Wiring wiring) {
        return of(name, wiring).filter(mask -> mask.value() == 0).flatMap(mask -> {
            Optional<OnnxNode> none = wiring.inner(mask.name(), "IsNaN");
            boolean isOfShares = none.filter(node -> node.inputs().getFirst().equals(mask.of()))
                    .isPresent();
            return isOfShares && mask.isInverted()
                    ? Optional.of(new Mask("", mask.of(), 0, true))
                    : Optional.of(mask).filter(_ -> none.isEmpty() && wiring.isReadOnce(mask.of()));
        });
    }

    private static Optional<Mask> of(String name, Wiring wiring) {
        return wiring.inner(name, "Where")
                .filter(node -> node.inputs().size() == 3)
                .flatMap(node -> {
                    String mask = node.inputs().getFirst();
                    String yes = node.inputs().get(1);
                    String no = node.inputs().get(2);
                    return wiring.number(no)
                            .map(number -> new Mask(mask, yes, number, false))
                            .or(() -> wiring.number(yes).map(number -> new Mask(mask, no, number, true)));
                });
    }

    /** The part of it that lets query i see key j if i ≥ j, both counted from 0; empty if there is none. */
    String causal(Wiring wiring) {
        return isInverted
                ? ""
                : parts(wiring).stream()
                        .filter(part -> isCausal(part, wiring))
                        .findFirst()
                        .orElse("");
    }

    /** What else it says; empty if that is nothing. */
    String rest(Wiring wiring) {
        return parts(wiring).stream()
                .filter(part -> !isCausal(part, wiring))
                .findFirst()
                .orElse("");
    }

    private List<String> parts(Wiring wiring) {
        return wiring.maker(name, "And").map(OnnxNode::inputs).orElse(List.of(name));
    }

    private static boolean isCausal(String name, Wiring wiring) {
        Optional<OnnxNode> compares = wiring.maker(name, "GreaterOrEqual");
        return compares.isPresent()
                && wiring.maker(compares.get().inputs().getFirst(), "Unsqueeze")
                        .filter(rows ->
                                wiring.axis(rows).filter(axis -> axis == 1).isPresent()
                                        && isCount(rows.inputs().getFirst(), wiring))
                        .isPresent()
                && isCount(compares.get().inputs().getLast(), wiring);
    }

    /** 0, 1, 2 and so on. */
    private static boolean isCount(String name, Wiring wiring) {
        return wiring.maker(name, "Range")
                .filter(range -> wiring.isInteger(range.inputs().getFirst(), 0)
                        && wiring.isInteger(range.inputs().getLast(), 1))
                .isPresent();
    }
}
