package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;

/** {@code eˣ / Σ eˣ} over the last axis, computed in f32 (f64 for f64) after the maximum is taken off. */
public record Softmax() implements Op {
    @Override
    public String mnemonic() {
        return "softmax";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        Expect.floating(this, x);
        require(x.rank() > 0, "softmax runs over the last axis, and %s has none", x);
        return List.of(x);
    }

    /** Maximum, difference, exponential, sum and quotient. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return 5 * results.getFirst().elements();
    }

    @Override
    public boolean isDifferentiable() {
        return true;
    }

    /** {@code dx = y·(dy − Σ dy·y)}. */
    @Override
    public void differentiate(GradientContext context) {
        TensorType type = context.type(context.result(0));
        DType wide = type.dtype().accumulator();
        ValueId y = context.cast(context.result(0), wide);
        ValueId dy = context.cast(context.upstream(), wide);
        ValueId sum = context.sum(context.mul(dy, y), List.of(type.rank() - 1));
        ValueId centered = context.sub(dy, context.expand(sum, type.shape()));
        context.contribute(0, context.cast(context.mul(y, centered), type.dtype()));
    }
}
