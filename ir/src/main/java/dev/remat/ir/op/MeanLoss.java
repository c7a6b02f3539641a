package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/**
 * The mean over the targets that are not {@code ignoreIndex} of what each row has lost: {@code (losses [N], targets
 * [N])} to a scalar, not a number where none counts. With the losses that {@link CrossEntropy} gives by row it has the
 * bits of the mean that the same operation gives of all rows.
 */
public record MeanLoss(long ignoreIndex) implements AfterLoss {
    public static MeanLoss parse(Attributes attributes) {
        return new MeanLoss(attributes.number("ignore_index"));
    }

    @Override
    public String mnemonic() {
        return "mean_loss";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("ignore_index", ignoreIndex);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        TensorType losses = operands.get(0);
        TensorType targets = operands.get(1);
        Expect.rank(this, "losses", losses, 1);
        Expect.floating(this, losses);
        Expect.integer(this, "targets", targets);
        Expect.shape(this, "targets", targets, losses.shape());
        return List.of(TensorType.scalar(losses.dtype()));
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return operands.getFirst().elements();
    }
}
