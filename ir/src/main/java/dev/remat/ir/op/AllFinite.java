package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/** Whether no element of several tensors, floats of any dtype and shape, is infinite or NaN: a bool scalar. */
public record AllFinite() implements AfterLoss {
    @Override
    public String mnemonic() {
        return "all_finite";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        ShapeException.require(!operands.isEmpty(), "%s takes at least one tensor", mnemonic());
        operands.forEach(tensor -> Expect.floating(this, tensor));
        return List.of(TensorType.scalar(DType.BOOL));
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return operands.stream().mapToLong(TensorType::elements).sum();
    }
}
