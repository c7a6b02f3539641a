package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Adagrad (Duchi, Hazan and Singer, 2011): {@code parameter}, {@code gradient}, {@code sum} of squared gradients,
 * {@code rate}, {@code step} counting from 1 as an i64 scalar, {@code factor} of the gradient if clipped; to the new
 * parameter and {@code sum}.
 *
 * <p>{@code g = factor·gradient + weightDecay·parameter}; {@code sum ← sum + g²}; {@code parameter ← parameter −
 * rate/(1 + (step − 1)·rateDecay)·g / (√sum + epsilon)}.
 */
public record AdagradUpdate(double rateDecay, double epsilon, double weightDecay, boolean clipped)
        implements OptimizerUpdate {
    public AdagradUpdate {
        Expect.fromZero("rate decay", rateDecay);
        Expect.fromZero("epsilon", epsilon);
        Expect.fromZero("weight decay", weightDecay);
    }

    public static AdagradUpdate parse(Attributes attributes) {
        return new AdagradUpdate(
                attributes.real("rate_decay"),
                attributes.real("epsilon"),
                attributes.real("weight_decay"),
                attributes.flag("clipped"));
    }

    @Override
    public String mnemonic() {
        return "adagrad_update";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE
                .with("rate_decay", rateDecay)
                .with("epsilon", epsilon)
                .with("weight_decay", weightDecay)
                .with("clipped", clipped);
    }

    /** What the rate is divided by. */
    public double slowing(long step) {
        return 1 + (step - 1) * rateDecay;
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, clipped ? 6 : 5);
        TensorType parameter = Expect.updated(this, operands);
        Expect.type(this, "a sum of squares", operands.get(2), parameter);
        Expect.real(this, "a rate", operands.get(3));
        Expect.type(this, "a step", operands.get(4), TensorType.scalar(DType.I64));
        if (clipped) {
            Expect.real(this, "a factor", operands.get(5));
        }
        return List.of(parameter, parameter);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return (7 + (weightDecay != 0 ? 2 : 0) + (clipped ? 1 : 0))
                * results.getFirst().elements();
    }

    @Override
    public List<Write> writes() {
        return List.of(new Write(0, 0), new Write(2, 1));
    }
}
