package dev.remat.compiler.onnx.source;

import dev.remat.compiler.onnx.read.ValueInfo;
import dev.remat.compiler.onnx.statement.Names;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Symbols;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;

/**
 * Extents of a file's inputs that are no numbers. What the file calls them is a hint: axes of one name are one symbol
 * where they are the same axis of different inputs, since exporters give one name to several axes.
 */
final class OpenExtents {
    private static final int MOST_CHARACTERS = 20;

    private final SequencedMap<String, List<Dim>> byInput = new LinkedHashMap<>();
    private final SequencedMap<String, String> hints = new LinkedHashMap<>();

    OpenExtents(List<ValueInfo> inputs, SequencedMap<String, List<Double>> set) {
        SequencedMap<String, Dim> byHint = new LinkedHashMap<>();
        Names names = new Names();
        for (ValueInfo input : inputs) {
            List<Dim> dims = new ArrayList<>();
            List<ValueInfo.Extent> shape = input.shape().orElse(List.of());
            for (int axis = 0; axis < shape.size(); axis++) {
                ValueInfo.Extent extent = shape.get(axis);
                String hint = extent.name();
                if (extent.value().isPresent()) {
                    dims.add(Dim.of(extent.value().get()));
                } else if (set.containsKey(hint) && set.get(hint).size() == 1) {
                    dims.add(Dim.of(set.get(hint).getFirst().longValue()));
                } else {
                    int at = axis;
                    String key = hint.isEmpty() ? input.name() + " " + axis : hint + " " + axis;
                    Dim dim = byHint.computeIfAbsent(key, _ -> {
                        String name = names.fresh(usual(hint, at, shape.size()));
                        hints.put(name, hint);
                        return Dim.symbol(name);
                    });
                    String name = dim.toString();
                    dims.add(
                            set.containsKey(name)
                                    ? Dim.of(set.get(name).getFirst().longValue())
                                    : dim);
                }
            }
            byInput.put(input.name(), dims);
        }
    }

    /** What an axis is called: usual letters for the usual ones, else as the file does. */
    private static String usual(String hint, int axis, int rank) {
        String lower = hint.toLowerCase(Locale.ROOT);
        boolean saysNothing = !hint.matches("[A-Za-z]\\w*") || lower.startsWith("unk");
        if (axis == 0 && (saysNothing || lower.contains("batch") || hint.equals("N"))) {
            return "B";
        }
        if (lower.contains("seq") || lower.contains("time") || axis == 1 && lower.contains("batch")) {
            return "T";
        }
        if (lower.contains("height") || saysNothing && rank == 4 && axis == 2) {
            return "H";
        }
        if (lower.contains("width") || saysNothing && rank == 4 && axis == 3) {
            return "W";
        }
        return saysNothing || hint.length() > MOST_CHARACTERS ? "N" + axis : hint;
    }

    /** Names that nothing else may have. */
    void take(Names names) {
        hints.keySet().forEach(names::fresh);
    }

    /** @throws RefusedException if the file does not say how many axes the input has */
    List<Dim> of(ValueInfo input) {
        if (input.shape().isEmpty()) {
            throw new RefusedException("the file does not say how many axes it has");
        }
        return byInput.get(input.name());
    }

    /** Which extents are open, and of what; empty if none is. */
    Optional<String> open(Symbols symbols) {
        List<String> open = new ArrayList<>();
        byInput.forEach((input, dims) -> {
            SequencedSet<String> names = new LinkedHashSet<>();
            dims.forEach(dim -> names.addAll(Symbols.of(symbols.resolve(dim))));
            if (!names.isEmpty()) {
                open.add(String.join(", ", names) + " of '" + input + "'");
            }
        });
        return open.isEmpty() ? Optional.empty() : Optional.of("open extents are " + String.join("; ", open));
    }

    /** What has become of the file's names. */
    List<String> notes(Symbols symbols) {
        List<String> notes = new ArrayList<>();
        SequencedMap<String, SequencedSet<String>> byHint = new LinkedHashMap<>();
        hints.forEach((name, hint) -> {
            Dim resolved = symbols.resolve(Dim.symbol(name));
            if (resolved.isConstant()) {
                notes.add("the extent " + (hint.isEmpty() ? name : "'" + hint + "'") + " is " + resolved
                        + ": an operator needs it");
            } else if (!hint.isEmpty()) {
                byHint.computeIfAbsent(hint, _ -> new LinkedHashSet<>()).add(resolved.toString());
            }
        });
        byHint.forEach((hint, names) -> {
            if (names.size() > 1) {
                notes.add("the file calls " + String.join(" and ", names) + " '" + hint + "'");
            }
        });
        return notes;
    }
}
