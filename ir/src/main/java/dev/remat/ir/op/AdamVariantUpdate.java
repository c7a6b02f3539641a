package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Optimizers that go by moments as Adam does: {@code parameter}, {@code gradient}, first moment {@code m}, {@code v} of
 * the squares, their {@code largest} for AMSGrad, {@code rate}, the sizes of the kind, {@code factor} of the gradient
 * if clipped; to the new parameter, {@code m}, {@code v} and {@code largest} if any.
 *
 * <p>{@code g = factor·gradient}; {@code m ← beta1·m + (1 − beta1)·g}; {@code v ← beta2·v + (1 − beta2)·g²}, for Adamax
 * {@code v ← max(beta2·v, |g| + epsilon)}. Weight decay multiplies the parameter by {@code 1 − rate·weightDecay} first
 * if decoupled, else it adds {@code weightDecay·parameter} to {@code g}. Sizes are scalars that the step computes.
 */
public record AdamVariantUpdate(
        Kind kind, double beta1, double beta2, double epsilon, double weightDecay, boolean decoupled, boolean clipped)
        implements OptimizerUpdate {
    /** What is taken from the parameter. */
    public enum Kind {
        /**
         * {@code b·m / (√(c·largest) + epsilon)} with {@code largest ← max(largest, v)} (Reddi, Kale and Kumar, 2018);
         * sizes {@code b, c}.
         */
        AMSGRAD(2),
        /** {@code (a·g + b·m) / (√(c·v) + epsilon)} (Dozat, 2016); sizes {@code a, b, c}. */
        NADAM(3),
        /** {@code a·m + b·m / (√v + epsilon)} (Liu et al., 2020); sizes {@code a, b}. */
        RADAM(2),
        /** {@code b·m / v} (Kingma and Ba, 2015); size {@code b}. */
        ADAMAX(1);

        private final int sizes;

        Kind(int sizes) {
            this.sizes = sizes;
        }

        /** How many sizes there are. */
        public int sizes() {
            return sizes;
        }

        /** How many states are as large as the parameter. */
        public int states() {
            return this == AMSGRAD ? 3 : 2;
        }
    }

    private static final String SUFFIX = "_update";

    public AdamVariantUpdate {
        Expect.argument(beta1 >= 0 && beta1 < 1, "beta1 %s is not from 0 to below 1", beta1);
        Expect.argument(beta2 >= 0 && beta2 < 1, "beta2 %s is not from 0 to below 1", beta2);
        Expect.fromZero("epsilon", epsilon);
        Expect.fromZero("weight decay", weightDecay);
    }

    public static AdamVariantUpdate parse(String mnemonic, Attributes attributes) {
        String name = mnemonic.substring(0, mnemonic.length() - SUFFIX.length());
        return new AdamVariantUpdate(
                Kind.valueOf(name.toUpperCase(Locale.ROOT)),
                attributes.real("beta1"),
                attributes.real("beta2"),
                attributes.real("epsilon"),
                attributes.real("weight_decay"),
                attributes.flag("decoupled"),
                attributes.flag("clipped"));
    }

    @Override
    public String mnemonic() {
        return kind.name().toLowerCase(Locale.ROOT) + SUFFIX;
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

    /** Operand that is the rate; sizes follow. */
    public int rateIndex() {
        return 2 + kind.states();
    }

    /** Operand that is the factor if clipped. */
    public int factorIndex() {
        return rateIndex() + 1 + kind.sizes();
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, factorIndex() + (clipped ? 1 : 0));
        TensorType parameter = Expect.updated(this, operands);
        List<TensorType> results = new ArrayList<>(List.of(parameter));
        for (int state = 2; state < rateIndex(); state++) {
            Expect.type(this, "a state", operands.get(state), parameter);
            results.add(parameter);
        }
        for (int scalar = rateIndex(); scalar < operands.size(); scalar++) {
            Expect.real(this, "a rate, a size or a factor", operands.get(scalar));
        }
        return List.copyOf(results);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return (15 + (weightDecay != 0 ? 2 : 0) + (clipped ? 1 : 0))
                * results.getFirst().elements();
    }

    @Override
    public List<Write> writes() {
        List<Write> writes = new ArrayList<>(List.of(new Write(0, 0)));
        for (int state = 0; state < kind.states(); state++) {
            writes.add(new Write(2 + state, 1 + state));
        }
        return List.copyOf(writes);
    }
}
