package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;

import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Operator.How;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Attention and rotary positions. */
final class AttentionOperators {
    private AttentionOperators() {}

    static List<Operator> table() {
        return List.of(
                Operator.several("Attention", How.DIRECT, AttentionOperators::attention),
                composed("RotaryEmbedding", AttentionOperators::rotary));
    }

    private static List<Tensor> attention(Use use) {
        if (use.find(4).isPresent() || use.find(5).isPresent() || use.find(6).isPresent()) {
            throw use.detail("it goes on from keys and values of before");
        }
        if (use.real("softcap", 0) != 0) {
            throw use.detail("it bounds its scores (softcap)");
        }
        Tensor q = heads(use, use.in(0), use.integer("q_num_heads", 0));
        Tensor k = heads(use, use.in(1), use.integer("kv_num_heads", 0));
        Tensor v = heads(use, use.in(2), use.integer("kv_num_heads", 0));
        Optional<Float> scale = use.has("scale") ? Optional.of(use.real("scale", 1)) : Optional.empty();
        Tensor y = attend(use, q, k, v, use.find(3), use.flag("is_causal", false), scale);
        return List.of(use.in(0).rank() == 3 ? merged(use, y) : y);
    }

    /** [B, T, heads·D] as [B, heads, T, D]. */
    static Tensor heads(Use use, Tensor x, long heads) {
        if (x.rank() == 4) {
            return x;
        }
        if (x.rank() != 3 || heads < 1) {
            throw use.detail("its operands are neither of 4 axes, nor of 3 with a number of heads");
        }
        Dim each = x.dim(2).floorDiv(heads);
        return use.out()
                .call(
                        "split_heads",
                        x.type().with(new Shape(List.of(x.dim(0), Dim.of(heads), x.dim(1), each))),
                        x,
                        heads);
    }

    static Tensor merged(Use use, Tensor y) {
        return use.out()
                .call(
                        "merge_heads",
                        y.type()
                                .with(new Shape(
                                        List.of(y.dim(0), y.dim(2), y.dim(1).times(y.dim(3))))),
                        y);
    }

    /** @param mask bool, or added to the scores; repeats to [B, H, T, S] */
    static Tensor attend(
            Use use, Tensor q, Tensor k, Tensor v, Optional<Tensor> mask, boolean isCausal, Optional<Float> scale) {
        Expressions out = use.out();
        List<Object> arguments = new ArrayList<>(List.of(q, k, v));
        mask.ifPresent(given -> {
            Tensor wide = given;
            while (wide.rank() < 4) {
                wide = out.unsqueeze(wide, 0);
            }
            arguments.add(Expressions.named(
                    wide.dtype() == DType.BOOL ? "mask" : "bias", out.body().spell(wide)));
        });
        if (isCausal) {
            arguments.add(Expressions.named("causal", true));
        }
        scale.ifPresent(value -> arguments.add(Expressions.named("scale", value)));
        out.symbols().join(q.dim(3), k.dim(3));
        out.symbols().join(k.dim(2), v.dim(2));
        Shape shape = new Shape(List.of(q.dim(0), q.dim(1), q.dim(2), v.dim(3)));
        return out.call("attention", q.type().with(shape), arguments.toArray());
    }

    private static Tensor rotary(Use use) {
        Tensor x = use.in(0);
        long heads = use.integer("num_heads", 0);
        Tensor rotated = rotated(
                use,
                heads(use, x, heads),
                use.in(1),
                use.in(2),
                use.find(3),
                use.integer("rotary_embedding_dim", 0),
                use.flag("interleaved", false));
        return x.rank() == 3 ? merged(use, rotated) : rotated;
    }

    /**
     * @param x [B, heads, T, D]
     * @param cosines {@code [positions, width/2]} with places, else [B, T, width/2]
     * @param width of what is rotated; 0 for all
     */
    static Tensor rotated(
            Use use, Tensor x, Tensor cosines, Tensor sines, Optional<Tensor> places, long width, boolean interleaved) {
        return rotated(use, x, rows(use, cosines, places), rows(use, sines, places), width, interleaved);
    }

    /** @param cosines which repeat to [B, heads, T, width/2] */
    static Tensor rotated(Use use, Tensor x, Tensor cosines, Tensor sines, long width, boolean interleaved) {
        Expressions out = use.out();
        Dim all = x.dim(3);
        Dim turned = width == 0 ? all : Dim.of(width);
        Dim half = turned.floorDiv(2);
        Tensor named = out.let(x);
        Tensor part = out.let(out.slice(named, 3, Dim.ZERO, turned, 1));
        Tensor cos = out.let(cosines);
        Tensor sin = out.let(sines);
        Tensor first;
        Tensor second;
        if (interleaved) {
            first = out.let(out.slice(part, 3, Dim.ZERO, turned, 2));
            second = out.let(out.slice(part, 3, Dim.ONE, turned, 2));
        } else {
            first = out.let(out.slice(part, 3, Dim.ZERO, half, 1));
            second = out.let(out.slice(part, 3, half, turned, 1));
        }
        Tensor real = out.infix("-", out.infix("*", first, cos), out.infix("*", second, sin));
        Tensor imaginary = out.infix("+", out.infix("*", first, sin), out.infix("*", second, cos));
        Tensor result;
        if (interleaved) {
            Tensor pairs = out.concat(List.of(out.unsqueeze(real, 4), out.unsqueeze(imaginary, 4)), 4);
            result = out.reshape(pairs, List.of(x.dim(0), x.dim(1), x.dim(2), turned));
        } else {
            result = out.concat(List.of(real, imaginary), 3);
        }
        return turned.equals(all) ? result : out.concat(List.of(result, out.slice(named, 3, turned, all, 1)), 3);
    }

    /** Rows of a table for each place, [B, 1, T, width/2]. */
    static Tensor rows(Use use, Tensor table, Optional<Tensor> places) {
        Expressions out = use.out();
        if (places.isEmpty()) {
            return out.unsqueeze(table, 1);
        }
        Tensor index = places.get();
        Dim count = Expressions.product(index.dims());
        Tensor flat = out.call(
                "index_select",
                table.type().with(new Shape(List.of(count, table.dim(1)))),
                table,
                out.reshape(index, List.of(count)));
        return out.reshape(flat, List.of(index.dim(0), Dim.ONE, index.dim(1), table.dim(1)));
    }
}
