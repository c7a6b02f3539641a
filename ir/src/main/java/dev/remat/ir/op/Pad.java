package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Surrounds the operand with {@code value}: {@code low} elements before and {@code high} after it on each axis. */
public record Pad(List<Dim> low, List<Dim> high, double value) implements Op, Differentiable {
    public Pad {
        low = List.copyOf(low);
        high = List.copyOf(high);
        Expect.argument(low.size() == high.size(), "pad by %s before and %s after", low, high);
    }

    public static Pad parse(Attributes attributes) {
        return new Pad(attributes.dims("low"), attributes.dims("high"), attributes.real("value"));
    }

    @Override
    public String mnemonic() {
        return "pad";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("low", low).with("high", high).with("value", value);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        Expect.tensor(this, x);
        require(x.rank() == low.size(), "pad by %s does not suit the rank of %s", low, x);
        List<Dim> padded = new ArrayList<>();
        for (int axis = 0; axis < x.rank(); axis++) {
            Expect.notNegative(this, "padding before it", low.get(axis), x);
            Expect.notNegative(this, "padding after it", high.get(axis), x);
            padded.add(x.dim(axis).plus(low.get(axis)).plus(high.get(axis)));
        }
        return List.of(x.with(new Shape(padded)));
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        for (int axis = 0; axis < low.size(); axis++) {
            boolean padded = !low.get(axis).is(0) || !high.get(axis).is(0);
            operands.apart(0, "pads the batch", padded ? new int[] {axis} : new int[0]);
        }
        return List.of(operands.linear());
    }

    @Override
    public void differentiate(GradientContext context) {
        List<Dim> sizes = context.type(context.operand(0)).shape().dims();
        context.contribute(0, context.apply(new Slice(low, sizes), context.upstream()));
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new Pad(low.stream().map(dims).toList(), high.stream().map(dims).toList(), value);
    }
}
