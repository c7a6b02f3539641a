package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.List;

/**
 * Scaled dot-product attention: {@code q [B, H, T, D]}, {@code k [B, H, S, D]}, {@code v [B, H, S, E]} and, if masked,
 * a bool mask that repeats to {@code [B, H, T, S]} and is true where a query attends to a key; to
 * {@code o [B, H, T, E]} = softmax(scale·q·kᵀ)·v and the log-sum-exp {@code [B, H, T]} of the scores, f32 (f64 for
 * f64).
 *
 * <p>Causal means that query {@code t} attends to the keys up to and with {@code t}. A query that attends to nothing
 * gives zeros, −∞ and no gradient. The log-sum-exp has no gradient of its own. Nothing of {@code T·S} elements needs to
 * be stored (Dao et al., 2022).
 */
public record Attention(double scale, boolean causal, boolean masked) implements Op {
    public Attention {
        Expect.argument(Double.isFinite(scale), "scale %s is not finite", scale);
    }

    public static Attention parse(Attributes attributes) {
        return new Attention(attributes.real("scale"), attributes.flag("causal"), attributes.flag("masked"));
    }

    @Override
    public String mnemonic() {
        return "attention";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("scale", scale).with("causal", causal).with("masked", masked);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, masked ? 4 : 3);
        TensorType q = operands.get(0);
        TensorType k = operands.get(1);
        TensorType v = operands.get(2);
        Expect.floating(this, q);
        Expect.rank(this, "queries", q, 4);
        Expect.rank(this, "keys", k, 4);
        Expect.rank(this, "values", v, 4);
        Dim keys = k.dim(2);
        Expect.type(this, "keys", k, q.with(q.shape().with(2, keys)));
        Expect.type(this, "values", v, k.with(k.shape().with(3, v.dim(3))));
        if (masked) {
            TensorType mask = operands.get(3);
            Expect.bool(this, "a mask", mask);
            Expect.repeatable(this, "a mask", mask, q.shape().with(3, keys));
        }
        TensorType lse = new TensorType(
                q.dtype().accumulator(), new Shape(q.shape().dims().subList(0, 3)));
        return List.of(q.with(q.shape().with(3, v.dim(3))), lse);
    }

    /** Two products; a causal one counts the pairs that attend. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        TensorType v = operands.get(2);
        long depth = operands.getFirst().dim(3).value() + v.dim(3).value();
        return Math.multiplyExact(2 * depth, pairs(operands.get(0), v));
    }

    /** Pairs of a query and a key, over the whole batch. */
    long pairs(TensorType q, TensorType v) {
        long queries = q.dim(2).value();
        long keys = v.dim(2).value();
        long triangle = Math.min(queries, keys);
        long below = (queries - triangle) * keys;
        long each = causal ? triangle * (triangle + 1) / 2 + below : queries * keys;
        return q.dim(0).value() * q.dim(1).value() * each;
    }

    @Override
    public boolean isDifferentiable() {
        return true;
    }

    @Override
    public void differentiate(GradientContext context) {
        if (context.upstream(1).isPresent()) {
            throw new IllegalStateException("the log-sum-exp of attention has no gradient");
        }
        List<ValueId> operands = new ArrayList<>();
        operands.add(context.upstream());
        for (int i = 0; i < 3; i++) {
            operands.add(context.operand(i));
        }
        operands.add(context.result(0));
        operands.add(context.result(1));
        if (masked) {
            operands.add(context.operand(3));
        }
        List<ValueId> gradients = context.emit(new AttentionGradient(scale, causal, masked), operands);
        for (int i = 0; i < 3; i++) {
            context.contribute(i, gradients.get(i));
        }
    }
}
