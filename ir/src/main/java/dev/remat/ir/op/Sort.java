package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;

/**
 * {@code x → (values, indices of i32)}: the numbers of each row of the last axis in order, and where they stood. Equal
 * numbers, both zeros among them, keep their order; NaN is more than any number.
 */
public record Sort(boolean descending) implements Op, Differentiable {
    public static Sort parse(Attributes attributes) {
        return new Sort(attributes.flag("descending"));
    }

    @Override
    public String mnemonic() {
        return "sort";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("descending", descending);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        require(x.dtype().isFloat() || x.dtype().isInteger(), "%s takes numbers, got %s", mnemonic(), x);
        require(x.rank() > 0, "sort runs over the last axis, and %s has none", x);
        return List.of(x, x.with(DType.I32));
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        operands.apart(0, "sorts along the batch", operands.type(0).rank() - 1);
        BatchRole role = operands.nonlinear("sorts means over the batch");
        return List.of(role, role);
    }

    /** A comparison for each element and each doubling of the row. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        TensorType x = operands.getFirst();
        long row = x.dim(x.rank() - 1).value();
        return x.elements() * (Long.SIZE - Long.numberOfLeadingZeros(row));
    }

    @Override
    public void differentiate(GradientContext context) {
        TensorType x = context.type(context.operand(0));
        int last = x.rank() - 1;
        context.upstream(0).ifPresent(dy -> {
            ValueId dx = context.apply(new ScatterAdd(last, x.dim(last)), dy, context.result(1));
            context.contribute(0, dx);
        });
    }
}
