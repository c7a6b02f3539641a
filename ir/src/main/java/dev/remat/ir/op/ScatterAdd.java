package dev.remat.ir.op;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/**
 * Adjoint of {@link Gather}: {@code (dy, indices)} of one shape to that shape with {@code extent} along {@code axis},
 * each element the sum of what its index got, in order. 16-bit floats accumulate in f32.
 */
public record ScatterAdd(int axis, Dim extent) implements Op, Differentiable {
    public ScatterAdd {
        Expect.argument(axis >= 0, "axis %s", axis);
    }

    public static ScatterAdd parse(Attributes attributes) {
        return new ScatterAdd(attributes.integer("axis"), attributes.dim("extent"));
    }

    @Override
    public String mnemonic() {
        return "scatter_add";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("axis", axis).with("extent", extent);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        TensorType dy = operands.get(0);
        TensorType indices = operands.get(1);
        Expect.floating(this, dy);
        Expect.integer(this, "indices", indices);
        Expect.axis(this, axis, dy);
        Expect.shape(this, "indices", indices, dy.shape());
        return List.of(dy.with(dy.shape().with(axis, extent)));
    }

    /** Linear in what it adds; a sum over the batch where the indices are along it. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        if (extent.mentions(operands.batch())) {
            throw new BatchRoleException("adds up by the number of a row of the batch");
        }
        operands.nonlinear("adds up by means over the batch", 1);
        BatchRole sums = operands.linear();
        return List.of(sums.isAlong(axis) ? new BatchRole.Sum() : sums);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return operands.getFirst().elements();
    }

    @Override
    public OptionalLong indexedExtent(List<TensorType> operands) {
        return OptionalLong.of(extent.value());
    }

    @Override
    public void differentiate(GradientContext context) {
        context.contribute(0, context.apply(new Gather(axis), context.upstream(), context.operand(1)));
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new ScatterAdd(axis, dims.apply(extent));
    }
}
