package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;

/**
 * Stochastic gradient descent with momentum: {@code parameter}, {@code gradient}, {@code rate}, {@code velocity} if the
 * momentum is not 0, {@code step} counting from 1 as an i64 scalar if that is dampened, {@code factor} of the gradient
 * if clipped; to the new parameter and, with momentum, velocity.
 *
 * <p>{@code g = factor·gradient + weightDecay·parameter}; {@code velocity ← momentum·velocity + (1 − dampening)·g};
 * {@code parameter ← parameter − rate·d} with {@code d = velocity}, or {@code g + momentum·velocity} in Nesterov's form
 * (Sutskever et al., 2013). The velocity starts at 0, and the first step is not dampened, so that it begins as the
 * gradient, as PyTorch's does.
 *
 * <p>The gradient may be of another floating dtype than the parameter; rate and factor are scalars.
 */
public record SgdUpdate(double momentum, double dampening, boolean nesterov, double weightDecay, boolean clipped)
        implements OptimizerUpdate {
    public SgdUpdate {
        Expect.fromZero("momentum", momentum);
        Expect.argument(dampening >= 0 && dampening <= 1, "dampening %s is not from 0 to 1", dampening);
        Expect.fromZero("weight decay", weightDecay);
        boolean ahead = !nesterov || momentum > 0 && dampening == 0;
        Expect.argument(ahead, "Nesterov's form takes a momentum and no dampening");
    }

    public static SgdUpdate parse(Attributes attributes) {
        return new SgdUpdate(
                attributes.real("momentum"),
                attributes.real("dampening"),
                attributes.flag("nesterov"),
                attributes.real("weight_decay"),
                attributes.flag("clipped"));
    }

    @Override
    public String mnemonic() {
        return "sgd_update";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE
                .with("momentum", momentum)
                .with("dampening", dampening)
                .with("nesterov", nesterov)
                .with("weight_decay", weightDecay)
                .with("clipped", clipped);
    }

    /** Whether there is a velocity: operand 3 and result 1. */
    public boolean hasVelocity() {
        return momentum != 0;
    }

    /** Whether what comes to the velocity is dampened from the second step on: there is a step, operand 4. */
    public boolean isDampened() {
        return hasVelocity() && dampening != 0;
    }

    /** Position of the gradient's factor among the operands of a clipped one. */
    public int factorIndex() {
        return 3 + (hasVelocity() ? 1 : 0) + (isDampened() ? 1 : 0);
    }

    /** What of the gradient comes to the velocity in a step, which counts from 1. */
    public double kept(long step) {
        return step == 1 ? 1 : 1 - dampening;
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, factorIndex() + (clipped ? 1 : 0));
        TensorType parameter = Expect.updated(this, operands);
        Expect.real(this, "a rate", operands.get(2));
        if (hasVelocity()) {
            Expect.type(this, "a velocity", operands.get(3), parameter);
        }
        if (isDampened()) {
            Expect.type(this, "a step", operands.get(4), TensorType.scalar(DType.I64));
        }
        if (clipped) {
            Expect.real(this, "a factor", operands.get(factorIndex()));
        }
        return hasVelocity() ? List.of(parameter, parameter) : List.of(parameter);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        long each = 2 + (hasVelocity() ? 3 : 0) + (nesterov ? 2 : 0) + (weightDecay != 0 ? 2 : 0) + (clipped ? 1 : 0);
        return each * results.getFirst().elements();
    }

    @Override
    public List<Write> writes() {
        List<Write> writes = new ArrayList<>(List.of(new Write(0, 0)));
        if (hasVelocity()) {
            writes.add(new Write(3, 1));
        }
        return List.copyOf(writes);
    }
}
