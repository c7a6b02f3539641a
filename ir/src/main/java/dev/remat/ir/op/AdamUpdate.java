package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Adam (Kingma and Ba, 2015): {@code parameter}, {@code gradient}, first moment {@code m}, second moment {@code v},
 * {@code rate}, {@code step} counting from 1 as an i64 scalar, {@code factor} of the gradient if clipped; to the new
 * parameter, {@code m} and {@code v}.
 *
 * <p>{@code g = factor·gradient}; {@code m ← beta1·m + (1 − beta1)·g}; {@code v ← beta2·v + (1 − beta2)·g²};
 * {@code parameter ← parameter − rate·(m/(1 − beta1^step)) / (√(v/(1 − beta2^step)) + epsilon)}. Weight decay
 * multiplies the parameter by {@code 1 − rate·weightDecay} first if decoupled (Loshchilov and Hutter, 2019), else it
 * adds {@code weightDecay·parameter} to {@code g}.
 *
 * <p>The gradient may be of another floating dtype than the parameter; rate and factor are scalars.
 */
public record AdamUpdate(
        double beta1, double beta2, double epsilon, double weightDecay, boolean decoupled, boolean clipped)
        implements OptimizerUpdate {
    public AdamUpdate {
        Expect.argument(beta1 >= 0 && beta1 < 1, "beta1 %s is not from 0 to below 1", beta1);
        Expect.argument(beta2 >= 0 && beta2 < 1, "beta2 %s is not from 0 to below 1", beta2);
        Expect.fromZero("epsilon", epsilon);
        Expect.fromZero("weight decay", weightDecay);
    }

    public static AdamUpdate parse(Attributes attributes) {
        return new AdamUpdate(
                attributes.real("beta1"),
                attributes.real("beta2"),
                attributes.real("epsilon"),
                attributes.real("weight_decay"),
                attributes.flag("decoupled"),
                attributes.flag("clipped"));
    }

    @Override
    public String mnemonic() {
        return "adam_update";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE
                .with("beta1", beta1)
                .with("beta2", beta2)
                .with("epsilon", epsilon)
                .with("weight_decay", weightDecay)
                .with("decoupled", decoupled)
                .with("clipped", clipped);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, clipped ? 7 : 6);
        TensorType parameter = Expect.updated(this, operands);
        Expect.type(this, "a first moment", operands.get(2), parameter);
        Expect.type(this, "a second moment", operands.get(3), parameter);
        Expect.real(this, "a rate", operands.get(4));
        Expect.type(this, "a step", operands.get(5), TensorType.scalar(DType.I64));
        if (clipped) {
            Expect.real(this, "a factor", operands.get(6));
        }
        return List.of(parameter, parameter, parameter);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return (14 + (weightDecay != 0 ? 2 : 0) + (clipped ? 1 : 0))
                * results.getFirst().elements();
    }

    @Override
    public List<Write> writes() {
        return List.of(new Write(0, 0), new Write(2, 1), new Write(3, 2));
    }
}
