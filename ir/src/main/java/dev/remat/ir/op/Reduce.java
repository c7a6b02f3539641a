package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.Locale;

/**
 * Sum, mean or maximum over {@code axes}, which keep extent 1. Sums of 16-bit floats accumulate in f32 and round to the
 * operand's dtype at the end. Elements that share the maximum share its gradient evenly.
 */
public record Reduce(Kind kind, List<Integer> axes) implements Op {
    /** What becomes of the elements. */
    public enum Kind {
        SUM,
        /** Floating point only. */
        MEAN,
        MAX
    }

    private static final String PREFIX = "reduce_";

    public Reduce {
        axes = Expect.axes(axes);
    }

    public static Reduce parse(String mnemonic, Attributes attributes) {
        String name = mnemonic.substring(PREFIX.length()).toUpperCase(Locale.ROOT);
        return new Reduce(Kind.valueOf(name), attributes.integers("axes"));
    }

    @Override
    public String mnemonic() {
        return PREFIX + kind.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("axes", axes);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        switch (kind) {
            case SUM, MAX ->
                require(x.dtype().isFloat() || x.dtype().isInteger(), "%s takes numbers, got %s", mnemonic(), x);
            case MEAN -> Expect.floating(this, x);
        }
        axes.forEach(axis -> Expect.axis(this, axis, x));
        return List.of(x.with(x.shape().reduced(axes)));
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return operands.getFirst().elements();
    }

    @Override
    public boolean isDifferentiable() {
        return true;
    }

    @Override
    public void differentiate(GradientContext context) {
        ValueId dy = context.upstream();
        TensorType x = context.type(context.operand(0));
        switch (kind) {
            case SUM -> context.contribute(0, context.expand(dy, x.shape()));
            case MEAN -> {
                long count = x.elements() / context.type(dy).elements();
                ValueId wide = context.cast(dy, x.dtype().accumulator());
                ValueId share = context.cast(context.scale(wide, 1.0 / count), x.dtype());
                context.contribute(0, context.expand(share, x.shape()));
            }
            case MAX -> shareAmongMaxima(context);
        }
    }

    private void shareAmongMaxima(GradientContext context) {
        ValueId x = context.operand(0);
        Shape shape = context.type(x).shape();
        DType dtype = context.type(x).dtype();
        DType wide = dtype.accumulator();
        ValueId largest = context.apply(new Compare(Compare.Kind.EQ), x, context.expand(context.result(0), shape));
        ValueId count = context.sum(context.cast(largest, wide), axes);
        ValueId share = context.cast(context.div(context.cast(context.upstream(), wide), count), dtype);
        ValueId zero = context.filled(0, context.type(x));
        context.contribute(0, context.select(largest, context.expand(share, shape), zero));
    }
}
