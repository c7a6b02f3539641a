package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/** A copy with storage of its own, row-major: what a view becomes where its reader cannot follow strides. */
public record Contiguous() implements Elementwise, Differentiable {
    @Override
    public String mnemonic() {
        return "contiguous";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        Expect.tensor(this, operands.getFirst());
        return operands;
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return operands.roles();
    }

    @Override
    public void differentiate(GradientContext context) {
        context.contribute(0, context.upstream());
    }
}
