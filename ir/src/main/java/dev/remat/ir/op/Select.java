package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;

/** {@code (condition, a, b)}: {@code a} where the bool condition is true, else {@code b}; all of one shape. */
public record Select() implements Pointwise, Differentiable {
    @Override
    public String mnemonic() {
        return "where";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 3);
        TensorType a = operands.get(1);
        Expect.bool(this, "a condition", operands.getFirst());
        Expect.tensor(this, a);
        Expect.same(this, a, operands.get(2));
        Expect.shape(this, "a condition", operands.getFirst(), a.shape());
        return List.of(a);
    }

    /** Linear in the two values; the condition, a bool, is no mean. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return List.of(operands.linear());
    }

    @Override
    public void differentiate(GradientContext context) {
        ValueId dy = context.upstream();
        ValueId condition = context.operand(0);
        ValueId zero = context.filled(0, context.type(dy));
        if (context.wanted(1)) {
            context.contribute(1, context.select(condition, dy, zero));
        }
        if (context.wanted(2)) {
            context.contribute(2, context.select(condition, zero, dy));
        }
    }
}
