package dev.remat.compiler.onnx.rule;

import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.RefusedException;
import dev.remat.compiler.onnx.statement.Symbols;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.Dim;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/**
 * Two extents that nobody can compare while symbols are open, where a branch depends on it: PyTorch exports
 * {@code squeeze} so.
 *
 * @param words that stand between the two
 * @param holds for signs of the difference
 */
public record OpenComparison(Dim left, String words, Dim right, IntPredicate holds) {
    /** Extents that are tried. */
    private static final long MOST = 1 << 16;

    /** Of a node that compares two known integers in terms of symbols; empty of any other. */
    public static Optional<OpenComparison> of(Use use) {
        boolean isOfExtents = use.node().inputs().size() == 2
                && use.all().size() == 2
                && use.all().stream().allMatch(OpenComparison::isExtent);
        return isOfExtents ? of(use.node().operator(), extent(use.in(0)), extent(use.in(1))) : Optional.empty();
    }

    private static Optional<OpenComparison> of(String operator, Dim left, Dim right) {
        return switch (operator) {
            case "Equal" -> Optional.of(new OpenComparison(left, "equals", right, sign -> sign == 0));
            case "Less" -> Optional.of(new OpenComparison(left, "is less than", right, sign -> sign < 0));
            case "LessOrEqual" -> Optional.of(new OpenComparison(left, "is at most", right, sign -> sign <= 0));
            case "Greater" -> Optional.of(new OpenComparison(left, "is more than", right, sign -> sign > 0));
            case "GreaterOrEqual" -> Optional.of(new OpenComparison(left, "is at least", right, sign -> sign >= 0));
            default -> Optional.empty();
        };
    }

    private static boolean isExtent(Tensor tensor) {
        return tensor.isFoldable()
                && tensor.constant().map(Constant::integers).orElseThrow().size() == 1;
    }

    private static Dim extent(Tensor tensor) {
        return tensor.constant().orElseThrow().integers().getFirst();
    }

    /** What to say of a branch that depends on it. */
    public RefusedException refusal() {
        return new RefusedException(
                RefusedException.Kind.CONSTANT,
                "which branch it takes depends on whether " + left + " " + words + " " + right,
                wayOut());
    }

    private String wayOut() {
        SequencedSet<String> symbols = Symbols.of(left.minus(right));
        String fixing = symbols.stream().map(symbol -> symbol + "=…").collect(Collectors.joining(","));
        String always = "--set " + fixing + " decides it";
        if (symbols.size() != 1) {
            return always;
        }
        String symbol = symbols.getFirst();
        long first = 1;
        while (first <= MOST && !holds(symbol, first)) {
            first++;
        }
        long last = first;
        while (last < MOST && holds(symbol, last + 1)) {
            last++;
        }
        if (first > MOST || last == MOST) {
            return always;
        }
        String range = first == last ? symbol + "=" + first : symbol + " from " + first + " to " + last;
        return "it does for " + range + ": --set " + symbol + "=" + usual(first, last)
                + " decides it, or whatever number your inputs have";
    }

    private boolean holds(String symbol, long extent) {
        SequencedMap<String, Long> bound = new LinkedHashMap<>();
        bound.put(symbol, extent);
        return holds.test(Long.signum(left.minus(right).substitute(bound).value()));
    }

    /** The largest power of two between two numbers, else the first one. */
    private static long usual(long first, long last) {
        long power = Long.highestOneBit(last);
        return power >= first ? power : first;
    }
}
