package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;

/**
 * Gradient of {@link Attention}: {@code (do, q, k, v, o, lse, mask if masked) → (dq, dk, dv)}. With
 * {@code p = exp(scale·q·kᵀ − lse)}: {@code dv = pᵀ·do}, {@code ds = p·(do·vᵀ − Σ do·o)}, {@code dq = scale·ds·k} and
 * {@code dk = scale·dsᵀ·q}.
 */
public record AttentionGradient(double scale, boolean causal, boolean masked) implements Op {
    public AttentionGradient {
        Expect.argument(Double.isFinite(scale), "scale %s is not finite", scale);
    }

    public static AttentionGradient parse(Attributes attributes) {
        return new AttentionGradient(attributes.real("scale"), attributes.flag("causal"), attributes.flag("masked"));
    }

    @Override
    public String mnemonic() {
        return "attention_grad";
    }

    @Override
    public Attributes attributes() {
        return forward().attributes();
    }

    private Attention forward() {
        return new Attention(scale, causal, masked);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, masked ? 7 : 6);
        List<TensorType> inputs = new ArrayList<>(operands.subList(1, 4));
        if (masked) {
            inputs.add(operands.get(6));
        }
        List<TensorType> forward = forward().infer(inputs);
        Expect.type(this, "a gradient", operands.get(0), forward.get(0));
        Expect.type(this, "a result", operands.get(4), forward.get(0));
        Expect.type(this, "a log-sum-exp", operands.get(5), forward.get(1));
        return List.copyOf(operands.subList(1, 4));
    }

    /** Five products: the scores again, and one for each of dp, dq, dk and dv. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        TensorType q = operands.get(1);
        TensorType v = operands.get(3);
        long depth = 3 * q.dim(3).value() + 2 * v.dim(3).value();
        return Math.multiplyExact(2 * depth, forward().pairs(q, v));
    }
}
