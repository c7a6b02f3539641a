package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** softmax(scale·q·kᵀ + bias)·v, with the scale on queries, keys or scores. */
final class AttentionPattern implements Pattern {
    /** Scores on their way down: what is added to them, and what they are multiplied by. */
    private record Scores(String name, Optional<String> bias, double scale) {}

    @Override
    public Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring) {
        if (!last.operator().equals("MatMul") || last.inputs().size() != 2) {
            return Optional.empty();
        }
        Optional<OnnxNode> softmax =
                wiring.inner(last.inputs().getFirst(), "Softmax").filter(AttentionPattern::isLast);
        if (softmax.isEmpty()) {
            return Optional.empty();
        }
        Scores scores = scaled(biased(softmax.get().inputs().getFirst(), wiring), wiring);
        Optional<OnnxNode> product = wiring.inner(scores.name(), "MatMul");
        if (product.isEmpty()) {
            return Optional.empty();
        }
        Scores q = scaled(new Scores(product.get().inputs().getFirst(), Optional.empty(), scores.scale()), wiring);
        Scores k = scaled(new Scores(product.get().inputs().getLast(), Optional.empty(), q.scale()), wiring);
        return keys(k.name(), wiring).map(keys -> {
            List<String> inputs =
                    new ArrayList<>(List.of(q.name(), keys, last.inputs().getLast()));
            scores.bias().ifPresent(inputs::add);
            return List.of(Wiring.instead(last, "Attend", inputs, Wiring.real("scale", k.scale())));
        });
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
                .or(() -> wiring.inner(name, "Transpose")
                        .filter(node -> node.attributes().containsKey("perm")
                                && node.attributes().get("perm").integers().equals(List.of(0L, 1L, 3L, 2L))))
                .map(node -> node.inputs().getFirst());
    }
}
