package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Operator.How;
import dev.remat.compiler.onnx.rule.Rule;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.Dim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Operators of ONNX Runtime's domain that its optimizer leaves behind. */
final class ContributedOperators {
    private static final String DOMAIN = "com.microsoft::";

    private ContributedOperators() {}

    static List<Operator> table() {
        return List.of(
                direct("Gelu", use -> use.out().unary("gelu", use.in(0))),
                direct(
                        "FastGelu",
                        use -> use.out().unary("gelu", biased(use), Expressions.named("approximate", "tanh"))),
                direct("BiasGelu", use -> use.out().unary("gelu", biased(use))),
                direct("QuickGelu", ContributedOperators::quick),
                direct("LayerNormalization", use -> layerNorm(use, use.in(0), 1, 2)),
                direct("SimplifiedLayerNormalization", use -> rootMeanSquare(use, use.in(0), 1)),
                new Operator(
                        "SimplifiedLayerNormalization",
                        How.DIRECT,
                        "",
                        Optional.of(Rule.of(use -> rootMeanSquare(use, use.in(0), 1)))),
                several("SkipLayerNormalization", use -> skipped(use, true)),
                several("SkipSimplifiedLayerNormalization", use -> skipped(use, false)),
                direct("FusedMatMul", ContributedOperators::product),
                direct("RotaryEmbedding", ContributedOperators::rotary),
                direct("MultiHeadAttention", ContributedOperators::attention),
                several("GroupQueryAttention", ContributedOperators::grouped));
    }

    private static Operator direct(String name, Rule.Single rule) {
        return Operator.direct(DOMAIN + name, rule);
    }

    private static Operator several(String name, Rule rule) {
        return Operator.several(DOMAIN + name, How.COMPOSED, rule);
    }

    private static Tensor biased(Use use) {
        return use.find(1).map(bias -> use.out().infix("+", use.in(0), bias)).orElse(use.in(0));
    }

    private static Tensor quick(Use use) {
        Tensor x = use.in(0);
        return use.out()
                .infix(
                        "*",
                        x,
                        use.out().unary("sigmoid", ElementwiseOperators.times(use, x, use.real("alpha", 1.702))));
    }

    private static Tensor layerNorm(Use use, Tensor x, int scale, int shift) {
        Expressions out = use.out();
        Tensor normal = out.unary(
                "layer_norm",
                x,
                Expressions.named("eps", use.real("epsilon", 1e-5)),
                Expressions.named("affine", false));
        Tensor scaled = out.infix("*", normal, use.in(scale));
        return use.find(shift).map(bias -> out.infix("+", scaled, bias)).orElse(scaled);
    }

    private static Tensor rootMeanSquare(Use use, Tensor x, int scale) {
        Expressions out = use.out();
        Tensor normal = out.unary(
                "rms_norm", x, Expressions.named("eps", use.real("epsilon", 1e-5)), Expressions.named("affine", false));
        return out.infix("*", normal, use.in(scale));
    }

    /** Results: what is normalized, two that only training reads, and the sum before. */
    private static List<Tensor> skipped(Use use, boolean centres) {
        Expressions out = use.out();
        Tensor sum = out.infix("+", use.in(0), use.in(1));
        Optional<Tensor> bias = use.find(centres ? 4 : 3);
        Tensor whole = out.let(bias.isPresent() ? out.infix("+", sum, bias.get()) : sum);
        if (use.wants(1) || use.wants(2)) {
            throw use.detail("its mean or deviation is read");
        }
        Tensor normal = centres ? layerNorm(use, whole, 2, 3) : rootMeanSquare(use, whole, 2);
        return List.of(normal, whole, whole, whole);
    }

    private static Tensor product(Use use) {
        if (use.flag("transBatchA", false) || use.flag("transBatchB", false)) {
            throw use.detail("it moves axes of the batch");
        }
        Tensor a = use.flag("transA", false) ? swapped(use, use.in(0)) : use.in(0);
        Tensor b = use.flag("transB", false) ? swapped(use, use.in(1)) : use.in(1);
        return ElementwiseOperators.times(use, ProductOperators.product(use, a, b), use.real("alpha", 1));
    }

    private static Tensor swapped(Use use, Tensor x) {
        List<Integer> axes =
                new ArrayList<>(IntStream.range(0, x.rank()).boxed().toList());
        axes.add(x.rank() - 2, axes.removeLast());
        return use.out().permute(x, axes);
    }

    private static Tensor rotary(Use use) {
        Tensor x = use.in(0);
        if (use.in(1).rank() != 2) {
            throw use.detail("its positions are an offset, not one for each place");
        }
        Tensor rotated = AttentionOperators.rotated(
                use,
                AttentionOperators.heads(use, x, use.integer("num_heads", 0)),
                use.in(2),
                use.in(3),
                Optional.of(use.in(1)),
                use.integer("rotary_embedding_dim", 0),
                use.flag("interleaved", false));
        return x.rank() == 3 ? AttentionOperators.merged(use, rotated) : rotated;
    }

    private static Tensor attention(Use use) {
        if (IntStream.range(6, 9).anyMatch(i -> use.find(i).isPresent())
                || use.find(3).isPresent()
                || use.find(4).isPresent()) {
            throw use.detail("it has a packed bias, lengths of keys, or keys and values of before");
        }
        long heads = use.integer("num_heads", 1);
        Optional<Float> scale = use.has("scale") ? Optional.of(use.real("scale", 1)) : Optional.empty();
        Tensor y = AttentionOperators.attend(
                use,
                AttentionOperators.heads(use, use.in(0), heads),
                AttentionOperators.heads(use, use.in(1), heads),
                AttentionOperators.heads(use, use.in(2), heads),
                use.find(5),
                use.flag("unidirectional", false),
                scale);
        return AttentionOperators.merged(use, y);
    }

    /**
     * Causal, with fewer heads of keys and values. How many keys a row has is passed over: what those behind would
     * change is the result of places behind them.
     */
    private static List<Tensor> grouped(Use use) {
        if (use.find(3).isPresent() || use.find(4).isPresent()) {
            throw use.detail("it goes on from keys and values of before");
        }
        boolean isOther = use.integer("local_window_size", -1) != -1
                || use.real("softcap", 0) != 0
                || use.flag("smooth_softmax", false)
                || use.find(11).isPresent();
        if (isOther) {
            throw use.detail("it has a window, bounds its scores (softcap) or smoothes its shares");
        }
        long heads = use.integer("num_heads", 1);
        long pairs = use.integer("kv_num_heads", heads);
        List<Tensor> all = use.find(1).isPresent()
                ? List.of(use.in(0), use.in(1), use.in(2))
                : unpacked(use, use.in(0), heads, pairs);
        Tensor q = AttentionOperators.heads(use, all.get(0), heads);
        Tensor k = AttentionOperators.heads(use, all.get(1), pairs);
        Tensor v = use.out().let(AttentionOperators.heads(use, all.get(2), pairs));
        if (use.flag("do_rotary", false)) {
            Tensor cosines = turns(use, use.in(7), q.dim(2));
            Tensor sines = turns(use, use.in(8), q.dim(2));
            long width = 2 * use.extent(use.in(7), 1);
            boolean interleaved = use.flag("rotary_interleaved", false);
            q = AttentionOperators.rotated(use, q, cosines, sines, width, interleaved);
            k = AttentionOperators.rotated(use, k, cosines, sines, width, interleaved);
        }
        Tensor keys = use.out().let(k);
        float scale = use.real("scale", 0);
        Tensor y = AttentionOperators.attend(
                use, q, keys, v, use.find(10), true, scale == 0 ? Optional.empty() : Optional.of(scale));
        return List.of(AttentionOperators.merged(use, y), keys, v);
    }

    /** Queries, keys and values that stand behind each other in one tensor. */
    private static List<Tensor> unpacked(Use use, Tensor x, long heads, long pairs) {
        Dim each = x.dim(2).floorDiv(heads + 2 * pairs);
        Tensor whole = use.out().let(x);
        List<Tensor> parts = new ArrayList<>();
        Dim at = Dim.ZERO;
        for (long count : new long[] {heads, pairs, pairs}) {
            Dim end = at.plus(each.times(count));
            parts.add(use.out().slice(whole, 2, at, end, 1));
            at = end;
        }
        return parts;
    }

    /** Cosines or sines of the places that are given, else of those from 0 on. */
    private static Tensor turns(Use use, Tensor table, Dim count) {
        return use.out()
                .let(
                        use.find(9).isPresent()
                                ? AttentionOperators.rows(use, table, use.find(9))
                                : use.out().slice(table, 0, Dim.ZERO, count, 1));
    }
}
