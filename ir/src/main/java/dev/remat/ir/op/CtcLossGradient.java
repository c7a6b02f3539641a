package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Gradient of {@link CtcLoss}: {@code (dlosses [N], log-probabilities, targets, input lengths, target lengths)} to that
 * by the log-probabilities: in each frame minus the share that each class has in the probability of the targets, times
 * {@code dlosses}. Reads nothing that the loss computed, so that nothing of it is kept.
 */
public record CtcLossGradient(CtcLoss forward) implements AfterLoss {
    public static CtcLossGradient parse(Attributes attributes) {
        return new CtcLossGradient(CtcLoss.parse(attributes));
    }

    @Override
    public String mnemonic() {
        return "ctc_loss_grad";
    }

    @Override
    public Attributes attributes() {
        return forward.attributes();
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 5);
        List<TensorType> losses = forward.infer(operands.subList(1, 5));
        Expect.type(this, "a gradient", operands.get(0), losses.getFirst());
        return List.of(operands.get(1));
    }

    /** Forwards, backwards, and what both make together. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return 21 * CtcLoss.cells(operands.get(1), operands.get(2))
                + results.getFirst().elements();
    }
}
