package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Gradient of {@link Attention} by its bias, from the operands of {@link AttentionGradient}: {@code ds = p·(do·vᵀ − Σ
 * do·o)}, summed over the axes along which the bias repeats. It is apart from the other gradients, which read the
 * scores in another order, so that a bias that is not trained costs nothing.
 */
public record AttentionBiasGradient(Attention forward) implements AfterLoss {
    public AttentionBiasGradient {
        Expect.argument(forward.biased(), "attention without a bias has no gradient by it");
    }

    public static AttentionBiasGradient parse(Attributes attributes) {
        return new AttentionBiasGradient(Attention.parse(attributes));
    }

    @Override
    public String mnemonic() {
        return "attention_bias_grad";
    }

    @Override
    public Attributes attributes() {
        return forward.attributes();
    }

    /** The gradient by the other operands, which has the same operands. */
    public AttentionGradient others() {
        return new AttentionGradient(forward);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        others().infer(operands);
        return List.of(operands.get(others().biasIndex()));
    }

    /** Two products: the scores again, and dp. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return forward.flops(operands.subList(1, 4), results);
    }
}
