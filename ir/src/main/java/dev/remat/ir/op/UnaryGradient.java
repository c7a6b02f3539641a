package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;
import java.util.Locale;

/** Gradient of a {@link Unary} that needs more than a product: {@code (dy, x) → dx}, all of one floating type. */
public record UnaryGradient(Kind kind) implements AfterLoss, Elementwise {
    /** The function that was applied, {@link Unary.Kind} of the same name. */
    public enum Kind {
        /** dy·(Φ(x) + x·φ(x)). */
        GELU,
        GELU_TANH,
        /** dy·s·(1 + x·(1 − s)) with s = sigmoid(x). */
        SILU,
        /** dy·sigmoid(x). */
        SOFTPLUS
    }

    public static UnaryGradient parse(String mnemonic, Attributes attributes) {
        String name = mnemonic.substring(0, mnemonic.length() - "_grad".length());
        return new UnaryGradient(Kind.valueOf(name.toUpperCase(Locale.ROOT)));
    }

    @Override
    public String mnemonic() {
        return kind.name().toLowerCase(Locale.ROOT) + "_grad";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        Expect.floating(this, operands.getFirst());
        Expect.same(this, operands.get(0), operands.get(1));
        return List.of(operands.getFirst());
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return AfterLoss.super.batchRoles(operands);
    }
}
