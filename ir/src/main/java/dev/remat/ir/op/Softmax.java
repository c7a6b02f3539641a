package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;

/**
 * {@code eˣ / Σ eˣ} over the last axis, or its logarithm {@code x − log Σ eˣ}, computed in f32 (f64 for f64) after the
 * maximum is taken off.
 */
public record Softmax(boolean logarithm) implements Op, Differentiable {
    public Softmax() {
        this(false);
    }

    @Override
    public String mnemonic() {
        return logarithm ? "log_softmax" : "softmax";
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        Expect.floating(this, x);
        require(x.rank() > 0, mnemonic() + " runs over the last axis, and %s has none", x);
        return List.of(x);
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        operands.apart(0, "takes the softmax over the batch", operands.type(0).rank() - 1);
        return List.of(operands.nonlinear("takes the softmax of a mean over the batch"));
    }

    /** Maximum, difference, exponential, sum, and quotient or difference. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return 5 * results.getFirst().elements();
    }

    /** {@code dx = y·(dy − Σ dy·y)}; of the logarithm {@code dx = dy − e^y·Σ dy}. */
    @Override
    public void differentiate(GradientContext context) {
        TensorType type = context.type(context.result(0));
        DType wide = type.dtype().accumulator();
        ValueId y = context.cast(context.result(0), wide);
        ValueId dy = context.cast(context.upstream(), wide);
        List<Integer> last = List.of(type.rank() - 1);
        ValueId dx;
        if (logarithm) {
            ValueId sum = context.sum(dy, last);
            ValueId share = context.mul(context.unary(Unary.Kind.EXP, y), context.expand(sum, type.shape()));
            dx = context.sub(dy, share);
        } else {
            ValueId sum = context.sum(context.mul(dy, y), last);
            dx = context.mul(y, context.sub(dy, context.expand(sum, type.shape())));
        }
        context.contribute(0, context.cast(dx, type.dtype()));
    }
}
