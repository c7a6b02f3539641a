package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.TensorType;
import java.util.List;
import java.util.OptionalInt;

/**
 * Picks along one axis, {@code y[i][j][k] = x[i][index[i][j][k]][k]} for axis 1: {@code (x, indices of i32 or i64)},
 * equal but for their extents along {@code axis}, to the shape of the indices.
 */
public record Gather(int axis) implements Op, Differentiable {
    public Gather {
        Expect.argument(axis >= 0, "axis %s", axis);
    }

    public static Gather parse(Attributes attributes) {
        return new Gather(attributes.integer("axis"));
    }

    @Override
    public String mnemonic() {
        return "gather";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("axis", axis);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        TensorType x = operands.get(0);
        TensorType indices = operands.get(1);
        Expect.tensor(this, x);
        Expect.integer(this, "indices", indices);
        Expect.axis(this, axis, x);
        boolean suits = indices.rank() == x.rank()
                && indices.shape().with(axis, x.dim(axis)).equals(x.shape());
        require(suits, "gather along axis %d does not pair %s with indices %s", axis, x, indices);
        return List.of(x.with(indices.shape()));
    }

    /** Linear in what it picks from. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        operands.apart(0, "picks rows of the batch by their number", axis);
        operands.nonlinear("picks by means over the batch", 1);
        return List.of(operands.linear());
    }

    @Override
    public OptionalInt indexedAxis() {
        return OptionalInt.of(axis);
    }

    @Override
    public void differentiate(GradientContext context) {
        Op op = new ScatterAdd(axis, context.type(context.operand(0)).dim(axis));
        context.contribute(0, context.apply(op, context.upstream(), context.operand(1)));
    }
}
