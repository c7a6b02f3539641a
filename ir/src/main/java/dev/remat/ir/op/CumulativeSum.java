package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.TensorType;
import java.util.List;

/**
 * {@code y[i] = x[0] + … + x[i]} along the last axis, or from {@code x[i]} to the last. Floats accumulate in f64 on the
 * CPU, and in CUDA in the accumulator of their dtype, so that the last bits differ; each sum is rounded to the dtype.
 */
public record CumulativeSum(boolean reverse) implements Op, Differentiable {
    public static CumulativeSum parse(Attributes attributes) {
        return new CumulativeSum(attributes.flag("reverse"));
    }

    @Override
    public String mnemonic() {
        return "cumsum";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("reverse", reverse);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        require(x.dtype().isFloat() || x.dtype().isInteger(), "%s takes numbers, got %s", mnemonic(), x);
        require(x.rank() > 0, "cumsum runs over the last axis, and %s has none", x);
        return List.of(x);
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        boolean alike = operands.role(0) instanceof BatchRole.Alike;
        String reason = alike ? "numbers the rows of the batch" : "adds up along the batch";
        operands.apart(0, reason, operands.type(0).rank() - 1);
        return List.of(operands.linear());
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return operands.getFirst().elements();
    }

    @Override
    public void differentiate(GradientContext context) {
        context.contribute(0, context.apply(new CumulativeSum(!reverse), context.upstream()));
    }
}
