package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;

/**
 * RMSprop (Tieleman and Hinton, 2012), as PyTorch computes it: {@code parameter}, {@code gradient}, {@code rate},
 * average of squares {@code v}, average {@code a} of gradients if centered, {@code velocity} if the momentum is not 0,
 * {@code factor} of the gradient if clipped; to the new parameter, {@code v}, and {@code a} and velocity if any.
 *
 * <p>{@code g = factor·gradient + weightDecay·parameter}; {@code v ← alpha·v + (1 − alpha)·g²};
 * {@code a ← alpha·a + (1 − alpha)·g}; {@code d = g / (√(v − a²) + epsilon)}, without {@code a} if not centered;
 * {@code velocity ← momentum·velocity + d}; {@code parameter ← parameter − rate·velocity}, {@code rate·d} without.
 */
public record RmsPropUpdate(
        double alpha, double epsilon, double weightDecay, double momentum, boolean centered, boolean clipped)
        implements OptimizerUpdate {
    public RmsPropUpdate {
        Expect.argument(alpha >= 0 && alpha <= 1, "alpha %s is not from 0 to 1", alpha);
        Expect.fromZero("momentum", momentum);
        Expect.fromZero("epsilon", epsilon);
        Expect.fromZero("weight decay", weightDecay);
    }

    public static RmsPropUpdate parse(Attributes attributes) {
        return new RmsPropUpdate(
                attributes.real("alpha"),
                attributes.real("epsilon"),
                attributes.real("weight_decay"),
                attributes.real("momentum"),
                attributes.flag("centered"),
                attributes.flag("clipped"));
    }

    @Override
    public String mnemonic() {
        return "rmsprop_update";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE
                .with("alpha", alpha)
                .with("epsilon", epsilon)
                .with("weight_decay", weightDecay)
                .with("momentum", momentum)
                .with("centered", centered)
                .with("clipped", clipped);
    }

    public boolean hasVelocity() {
        return momentum != 0;
    }

    /** Operands from 3 on that are state. */
    public int states() {
        return 1 + (centered ? 1 : 0) + (hasVelocity() ? 1 : 0);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 3 + states() + (clipped ? 1 : 0));
        TensorType parameter = Expect.updated(this, operands);
        Expect.real(this, "a rate", operands.get(2));
        List<TensorType> results = new ArrayList<>(List.of(parameter));
        for (int state = 0; state < states(); state++) {
            Expect.type(this, "a state", operands.get(3 + state), parameter);
            results.add(parameter);
        }
        if (clipped) {
            Expect.real(this, "a factor", operands.getLast());
        }
        return List.copyOf(results);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        long each = 9 + (centered ? 5 : 0) + (hasVelocity() ? 2 : 0) + (weightDecay != 0 ? 2 : 0) + (clipped ? 1 : 0);
        return each * results.getFirst().elements();
    }

    @Override
    public List<Write> writes() {
        List<Write> writes = new ArrayList<>(List.of(new Write(0, 0)));
        for (int state = 0; state < states(); state++) {
            writes.add(new Write(3 + state, 1 + state));
        }
        return List.copyOf(writes);
    }
}
