package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** One or more operands, equal but for their extents along {@code axis}, one after the other along it. */
public record Concat(int axis) implements Op {
    public Concat {
        Expect.argument(axis >= 0, "axis %s", axis);
    }

    public static Concat parse(Attributes attributes) {
        return new Concat(attributes.integer("axis"));
    }

    @Override
    public String mnemonic() {
        return "concat";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("axis", axis);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        require(!operands.isEmpty(), "concat takes at least one operand");
        TensorType first = operands.getFirst();
        Expect.tensor(this, first);
        Expect.axis(this, axis, first);
        Dim extent = Dim.ZERO;
        for (TensorType operand : operands) {
            boolean suits = operand.rank() == first.rank()
                    && operand.with(operand.shape().with(axis, first.dim(axis))).equals(first);
            require(suits, "concat along axis %d does not join %s and %s", axis, first, operand);
            extent = extent.plus(operand.dim(axis));
        }
        return List.of(first.with(first.shape().with(axis, extent)));
    }

    @Override
    public boolean isDifferentiable() {
        return true;
    }

    @Override
    public void differentiate(GradientContext context) {
        Dim start = Dim.ZERO;
        for (int i = 0; i < context.operandCount(); i++) {
            TensorType part = context.type(context.operand(i));
            if (context.wanted(i)) {
                List<Dim> starts = new ArrayList<>(Collections.nCopies(part.rank(), Dim.ZERO));
                starts.set(axis, start);
                Slice slice = new Slice(starts, part.shape().dims());
                context.contribute(i, context.apply(slice, context.upstream()));
            }
            start = start.plus(part.dim(axis));
        }
    }
}
