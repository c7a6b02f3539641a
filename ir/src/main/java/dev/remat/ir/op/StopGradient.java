package dev.remat.ir.op;

import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.Optional;

/** The operand itself, by which nothing is differentiated. Gone from a step once its gradients are there. */
public record StopGradient() implements View {
    @Override
    public String mnemonic() {
        return "stop_gradient";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        Expect.tensor(this, operands.getFirst());
        return List.of(operands.getFirst());
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return operands.roles();
    }

    @Override
    public Optional<StridedView> through(StridedView operand) {
        return Optional.of(operand);
    }

    @Override
    public Optional<View> inverse(Shape operand) {
        return Optional.of(this);
    }
}
