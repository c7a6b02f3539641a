package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Lion (Chen et al., 2023): {@code parameter}, {@code gradient}, first moment {@code m}, {@code rate}, {@code factor}
 * of the gradient if clipped; to the new parameter and {@code m}.
 *
 * <p>{@code g = factor·gradient}; {@code parameter ← (1 − rate·weightDecay)·parameter − rate·sign(beta1·m +
 * (1 − beta1)·g)}; {@code m ← beta2·m + (1 − beta2)·g}.
 */
public record LionUpdate(double beta1, double beta2, double weightDecay, boolean clipped) implements OptimizerUpdate {
    public LionUpdate {
        Expect.argument(beta1 >= 0 && beta1 < 1, "beta1 %s is not from 0 to below 1", beta1);
        Expect.argument(beta2 >= 0 && beta2 < 1, "beta2 %s is not from 0 to below 1", beta2);
        Expect.fromZero("weight decay", weightDecay);
    }

    public static LionUpdate parse(Attributes attributes) {
        return new LionUpdate(
                attributes.real("beta1"),
                attributes.real("beta2"),
                attributes.real("weight_decay"),
                attributes.flag("clipped"));
    }

    @Override
    public String mnemonic() {
        return "lion_update";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE
                .with("beta1", beta1)
                .with("beta2", beta2)
                .with("weight_decay", weightDecay)
                .with("clipped", clipped);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, clipped ? 5 : 4);
        TensorType parameter = Expect.updated(this, operands);
        Expect.type(this, "a first moment", operands.get(2), parameter);
        Expect.real(this, "a rate", operands.get(3));
        if (clipped) {
            Expect.real(this, "a factor", operands.get(4));
        }
        return List.of(parameter, parameter);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return (8 + (weightDecay != 0 ? 2 : 0) + (clipped ? 1 : 0))
                * results.getFirst().elements();
    }

    @Override
    public List<Write> writes() {
        return List.of(new Write(0, 0), new Write(2, 1));
    }
}
