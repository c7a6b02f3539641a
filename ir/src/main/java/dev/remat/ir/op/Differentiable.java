package dev.remat.ir.op;

import java.util.Optional;

/** What an operation is that gradients flow through; those of the backward pass and updates are not. */
public interface Differentiable {
    /** Whether there are gradients in the case of these attributes. */
    default boolean isDifferentiable() {
        return true;
    }

    /** An operation that gradients flow through, with these attributes. */
    static Optional<Differentiable> of(Op op) {
        return Optional.of(op)
                .filter(Differentiable.class::isInstance)
                .map(Differentiable.class::cast)
                .filter(Differentiable::isDifferentiable);
    }

    /** Contributes the gradient by each wanted operand. */
    void differentiate(GradientContext context);
}
