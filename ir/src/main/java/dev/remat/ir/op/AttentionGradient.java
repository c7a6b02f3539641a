package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;

/**
 * Gradient of {@link Attention}: {@code (do, q, k, v, o, lse, mask if masked, bias if biased) → (dq, dk, dv)}. With
 * {@code p = exp(scale·q·kᵀ + bias − lse)}: {@code dv = pᵀ·do}, {@code ds = p·(do·vᵀ − Σ do·o)}, {@code dq =
 * scale·ds·k} and {@code dk = scale·dsᵀ·q}; dk and dv are sums over the heads of queries that share them.
 */
public record AttentionGradient(Attention forward) implements AfterLoss {
    /** Operands that are none of the forward operation: the upstream gradient, its result and its log-sum-exp. */
    private static final int OTHERS = 3;

    public static AttentionGradient parse(Attributes attributes) {
        return new AttentionGradient(Attention.parse(attributes));
    }

    @Override
    public String mnemonic() {
        return "attention_grad";
    }

    @Override
    public Attributes attributes() {
        return forward.attributes();
    }

    /** Which operand the mask is, if there is one. */
    public int maskIndex() {
        return OTHERS + forward.maskIndex();
    }

    /** Which operand the bias is, if there is one. */
    public int biasIndex() {
        return OTHERS + forward.biasIndex();
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, OTHERS + forward.operandCount());
        List<TensorType> inputs = new ArrayList<>(operands.subList(1, 4));
        inputs.addAll(operands.subList(6, operands.size()));
        List<TensorType> results = forward.infer(inputs);
        Expect.type(this, "a gradient", operands.get(0), results.get(0));
        Expect.type(this, "a result", operands.get(4), results.get(0));
        Expect.type(this, "a log-sum-exp", operands.get(5), results.get(1));
        return List.copyOf(operands.subList(1, 4));
    }

    /** Five products: the scores again, and one for each of dp, dq, dk and dv. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        TensorType q = operands.get(1);
        TensorType v = operands.get(3);
        long depth = 3 * q.dim(3).value() + 2 * v.dim(3).value();
        return Math.multiplyExact(2 * depth, forward.pairs(q, v));
    }
}
