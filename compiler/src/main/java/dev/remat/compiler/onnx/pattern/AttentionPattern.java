package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/**
 * softmax(scale·q·kᵀ + bias)·v, with the scale on queries, keys or scores, and perhaps a mask: scores that it hides are
 * −∞ before the softmax.
 */
final class AttentionPattern implements Pattern {
    /** What hides a score for certain where each query has one that is not hidden. */
    private static final double LOW = -1e9;

    /** Scores on their way down: what is added to them, and what they are multiplied by. */
    private record Scores(String name, Optional<String> bias, double scale) {}

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
        Scores q = scaled(new Scores(product.get().inputs().getFirst(), Optional.empty(), scores.scale()), wiring);
        Scores k = scaled(new Scores(product.get().inputs().getLast(), Optional.empty(), q.scale()), wiring);
        return keys(k.name(), wiring)
                .map(keys -> List.of(Wiring.instead(
                        last,
                        "Attend",
                        List.of(
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

    private static Scores scaled(Scores scores, Wiring wiring) {
        Optional<OnnxNode> quotient = wiring.inner(scores.name(), "Div");
        if (quotient.isPresent()) {
            return wiring.number(quotient.get().inputs().getLast())
                    .map(by -> new Scores(quotient.get().inputs().getFirst(), scores.bias(), scores.scale() / by))
                    .orElse(scores);
        }
        Optional<OnnxNode> product = wiring.inner(scores.name(), "Mul");
        if (product.isPresent()) {
            for (String factor : product.get().inputs()) {
                if (wiring.number(factor).isPresent() && product.get().inputs().size() == 2) {
                    return new Scores(
                            Wiring.other(product.get(), factor).orElseThrow(),
                            scores.bias(),
                            scores.scale() * wiring.number(factor).get());
                }
            }
        }
        return scores;
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
