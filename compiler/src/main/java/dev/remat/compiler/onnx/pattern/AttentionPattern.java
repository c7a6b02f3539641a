package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * softmax(scale·q·kᵀ + bias)·v, with the scale on queries, keys or scores, and perhaps a mask: scores that it hides are
 * −∞ before the softmax.
 */
final class AttentionPattern implements Pattern {
    /** What hides a score for certain where each query has one that is not hidden. */
    private static final double LOW = -1e9;

    /**
     * Scores on their way down: what is added to them, and what they are multiplied by.
     *
     * @param roots values of extents, multiplied by where they come from a Mul
     * @param divides for each of these, whether it divides
     */
    private record Scores(String name, Optional<String> bias, double scale, List<String> roots, List<Long> divides) {
        Scores(String name, Optional<String> bias, double scale) {
            this(name, bias, scale, List.of(), List.of());
        }

        /** The same further down. */
        Scores at(String other) {
            return new Scores(other, bias, scale, roots, divides);
        }

        Scores times(double by) {
            return new Scores(name, bias, scale * by, roots, divides);
        }

        Scores by(String root, boolean isDivisor) {
            List<String> allRoots = new ArrayList<>(roots);
            allRoots.add(root);
            List<Long> allDivides = new ArrayList<>(divides);
            allDivides.add(isDivisor ? 1L : 0L);
            return new Scores(name, bias, scale, allRoots, allDivides);
        }
    }

    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        if (!last.operator().equals("MatMul") || last.inputs().size() != 2) {
            return Optional.empty();
        }
        Optional<Mask> guard = Mask.ofShares(last.inputs().getFirst(), wiring);
        String shares = guard.map(Mask::of).orElse(last.inputs().getFirst());
        Optional<OnnxNode> softmax = softmax(shares, guard.isPresent(), wiring);
        if (softmax.isEmpty()) {
            return Optional.empty();
        }
        String hidden = softmax.get().inputs().getFirst();
        Optional<Mask> mask = Mask.ofScores(hidden, wiring);
        boolean isGuarded = guard.filter(each -> !each.name().isEmpty()).isEmpty()
                || mask.filter(each -> each.name().equals(guard.get().name())).isPresent();
        boolean hides = mask.isEmpty()
                || mask.get().value() == Double.NEGATIVE_INFINITY
                || mask.get().name().equals(mask.get().causal(wiring))
                        && mask.get().value() <= LOW;
        if (!isGuarded || !hides) {
            return Optional.empty();
        }
        Scores scores = scaled(biased(mask.map(Mask::of).orElse(hidden), wiring), wiring);
        Optional<OnnxNode> product = wiring.inner(scores.name(), "MatMul");
        if (product.isEmpty()) {
            return Optional.empty();
        }
        Scores q = scaled(scores.at(product.get().inputs().getFirst()), wiring);
        Scores k = scaled(q.at(product.get().inputs().getLast()), wiring);
        return keys(k.name(), wiring)
                .map(keys -> List.of(Wiring.instead(
                        last,
                        "Attend",
                        operands(
                                k.roots(),
                                q.name(),
                                keys,
                                last.inputs().getLast(),
                                scores.bias().orElse(""),
                                mask.map(Mask::name).orElse(""),
                                unrepeated(keys, wiring),
                                unrepeated(last.inputs().getLast(), wiring),
                                mask.map(each -> each.causal(wiring)).orElse(""),
                                mask.map(each -> each.rest(wiring)).orElse("")),
                        Wiring.real("scale", k.scale()),
                        Wiring.integers("divides", k.divides()),
                        OnnxAttribute.of(
                                "inverted", mask.filter(Mask::isInverted).isPresent() ? 1 : 0))));
    }

    /** @param isRead whether what guards it reads it, too */
    private static Optional<OnnxNode> softmax(String name, boolean isRead, Wiring wiring) {
        return wiring.maker(name, "Softmax")
                .filter(_ -> wiring.isReadOnce(name) || isRead)
                .filter(AttentionPattern::isLast);
    }

    private static boolean isLast(OnnxNode softmax) {
        return softmax.attributes().containsKey("axis")
                && (softmax.attributes().get("axis").integers().equals(List.of(-1L))
                        || softmax.attributes().get("axis").integers().equals(List.of(3L)));
    }

    /** The scores before something is added that is no score itself. */
    private static Scores biased(String name, Wiring wiring) {
        Optional<OnnxNode> sum =
                wiring.inner(name, "Add").filter(node -> node.inputs().size() == 2);
        if (sum.isPresent()) {
            for (String bias : sum.get().inputs()) {
                String other = Wiring.other(sum.get(), bias).orElseThrow();
                if (isScore(other, wiring)) {
                    return new Scores(other, Optional.of(bias), 1);
                }
            }
        }
        return new Scores(name, Optional.empty(), 1);
    }

    private static boolean isScore(String name, Wiring wiring) {
        return wiring.inner(
                        scaled(new Scores(name, Optional.empty(), 1), wiring).name(), "MatMul")
                .isPresent();
    }

    private static List<String> operands(List<String> roots, String... others) {
        List<String> operands = new ArrayList<>(List.of(others));
        operands.addAll(roots);
        return operands;
    }

    private static Scores scaled(Scores scores, Wiring wiring) {
        Optional<OnnxNode> quotient = wiring.inner(scores.name(), "Div");
        if (quotient.isPresent()) {
            String divisor = quotient.get().inputs().getLast();
            return scaled(scores.at(quotient.get().inputs().getFirst()), divisor, true, wiring)
                    .orElse(scores);
        }
        Optional<OnnxNode> product = wiring.inner(scores.name(), "Mul");
        if (product.isPresent() && product.get().inputs().size() == 2) {
            for (String factor : product.get().inputs()) {
                Optional<Scores> found = Wiring.other(product.get(), factor)
                        .flatMap(other -> scaled(scores.at(other), factor, false, wiring));
                if (found.isPresent()) {
                    return found.get();
                }
            }
        }
        return scores;
    }

    private static Optional<Scores> scaled(Scores scores, String by, boolean isDivisor, Wiring wiring) {
        return wiring.number(by)
                .map(number -> scores.times(isDivisor ? 1 / number : number))
                .or(() -> Optional.of(scores.by(by, isDivisor)).filter(_ -> wiring.isOfExtent(by)));
    }

    /** What is transposed to be keys. */
    private static Optional<String> keys(String name, Wiring wiring) {
        return wiring.inner(name, "LastTransposed")
                .map(node -> node.inputs().getFirst())
                .or(() -> wiring.transposed(name, 0L, 1L, 3L, 2L).filter(_ -> wiring.isReadOnce(name)));
    }

    /** Keys or values before each head was repeated for all queries' heads that share it; none if they were not. */
    private static String unrepeated(String name, Wiring wiring) {
        return wiring.inner(name, "Reshape")
                .flatMap(joined -> wiring.inner(joined.inputs().getFirst(), "Expand"))
                .flatMap(repeated -> wiring.inner(repeated.inputs().getFirst(), "Unsqueeze"))
                .filter(apart -> wiring.axis(apart).filter(axis -> axis == 2).isPresent())
                .map(apart -> apart.inputs().getFirst())
                .orElse("");
    }
}
