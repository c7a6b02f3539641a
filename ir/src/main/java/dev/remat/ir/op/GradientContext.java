package dev.remat.ir.op;

import dev.remat.ir.ValueId;
import java.util.Optional;

/** One node as its gradient rule sees it: what it read and gave, and what arrived from above. */
public interface GradientContext extends OpEmitter {
    int operandCount();

    ValueId operand(int index);

    ValueId result(int index);

    /** Gradient of the loss by result {@code index}, empty where the loss does not depend on it. */
    Optional<ValueId> upstream(int index);

    /** Gradient of the loss by the first result, which is present whenever the rule of a one-result node is asked. */
    default ValueId upstream() {
        return upstream(0).orElseThrow();
    }

    /** Whether anybody needs the gradient by operand {@code index}. */
    boolean wanted(int index);

    /**
     * Whether the gradient by operand {@code index}, a 16-bit copy of a parameter, is collected in the parameter's f32:
     * a sum over many terms had better not be rounded before.
     */
    boolean wide(int index);

    /**
     * Adds to the gradient by operand {@code index}, in the operand's dtype or, where {@link #wide}, in f32; ignored
     * where it is not wanted.
     */
    void contribute(int index, ValueId gradient);
}
