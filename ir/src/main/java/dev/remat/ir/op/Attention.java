package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.List;

/**
 * Scaled dot-product attention: {@code q [B, H, T, D]}, {@code k [B, G, S, D]}, {@code v [B, G, S, E]}, if masked a
 * bool mask that repeats to {@code [B, H, T, S]} and is true where a query attends to a key, and if biased a bias that
 * repeats to the same; to {@code o [B, H, T, E]} = softmax(scale·q·kᵀ + bias)·v and the log-sum-exp {@code [B, H, T]}
 * of the scores, f32 (f64 for f64).
 *
 * <p>G divides H: each H/G neighbouring heads of queries share one of keys and values (Shazeer, 2019; Ainslie et al.,
 * 2023). The bias has the dtype of the queries or of the log-sum-exp.
 *
 * <p>Causal means that query {@code t} attends to the keys up to and with {@code t}; a bias of −∞ hides a key like a
 * mask. A query that attends to nothing gives zeros, −∞ and no gradient. The log-sum-exp has no gradient of its own.
 * Nothing of {@code T·S} elements needs to be stored (Dao et al., 2022), and no head of keys or values is repeated.
 */
public record Attention(double scale, boolean causal, boolean masked, boolean biased) implements Op, Differentiable {
    /** The attribute that is there only where there is a bias. */
    private static final String BIASED = "biased";

    public Attention {
        Expect.argument(Double.isFinite(scale), "scale %s is not finite", scale);
    }

    /** Without a bias. */
    public Attention(double scale, boolean causal, boolean masked) {
        this(scale, causal, masked, false);
    }

    public static Attention parse(Attributes attributes) {
        return new Attention(
                attributes.real("scale"),
                attributes.flag("causal"),
                attributes.flag("masked"),
                attributes.has(BIASED) && attributes.flag(BIASED));
    }

    @Override
    public String mnemonic() {
        return "attention";
    }

    @Override
    public Attributes attributes() {
        Attributes attributes =
                Attributes.NONE.with("scale", scale).with("causal", causal).with("masked", masked);
        return biased ? attributes.with(BIASED, true) : attributes;
    }

    int operandCount() {
        return 3 + (masked ? 1 : 0) + (biased ? 1 : 0);
    }

    /** Which operand the mask is, if there is one. */
    public int maskIndex() {
        return 3;
    }

    /** Which operand the bias is, if there is one. */
    public int biasIndex() {
        return masked ? 4 : 3;
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, operandCount());
        TensorType q = operands.get(0);
        TensorType k = operands.get(1);
        TensorType v = operands.get(2);
        Expect.floating(this, q);
        Expect.rank(this, "queries", q, 4);
        Expect.rank(this, "keys", k, 4);
        Expect.rank(this, "values", v, 4);
        Dim keys = k.dim(2);
        Dim heads = k.dim(1);
        require(
                heads.equals(q.dim(1)) || q.dim(1).divideExact(heads).isPresent(),
                "%s wants as many heads of keys as of queries, or a number that divides it, got %s of keys for %s of "
                        + "queries",
                mnemonic(),
                heads,
                q.dim(1));
        Expect.type(this, "keys", k, q.with(q.shape().with(1, heads).with(2, keys)));
        Expect.type(this, "values", v, k.with(k.shape().with(3, v.dim(3))));
        Shape scores = q.shape().with(3, keys);
        if (masked) {
            TensorType mask = operands.get(maskIndex());
            Expect.bool(this, "a mask", mask);
            Expect.repeatable(this, "a mask", mask, scores);
        }
        DType wide = q.dtype().accumulator();
        if (biased) {
            TensorType bias = operands.get(biasIndex());
            Expect.dtype(this, "a bias", bias, bias.dtype() == wide ? wide : q.dtype());
            Expect.repeatable(this, "a bias", bias, scores);
        }
        TensorType lse = new TensorType(wide, new Shape(q.shape().dims().subList(0, 3)));
        return List.of(q.with(q.shape().with(3, v.dim(3))), lse);
    }

    /** Rows are samples, or heads where each has keys of its own. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        boolean heads = operands.type(0).dim(1).equals(operands.type(1).dim(1));
        int[] mixed = heads ? new int[] {2, 3} : new int[] {1, 2, 3};
        for (int i = 0; i < operands.count(); i++) {
            operands.apart(i, "attends to other rows of the batch", mixed);
        }
        BatchRole role = operands.nonlinear("attends by a mean over the batch");
        return List.of(role, role);
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
        for (int i = 3; i < operandCount(); i++) {
            operands.add(context.operand(i));
        }
        if (biased && context.wanted(biasIndex())) {
            context.contribute(
                    biasIndex(),
                    context.emit(new AttentionBiasGradient(this), operands).getFirst());
        }
        List<ValueId> gradients = context.emit(new AttentionGradient(this), operands);
        for (int i = 0; i < 3; i++) {
            context.contribute(i, gradients.get(i));
        }
    }
}
