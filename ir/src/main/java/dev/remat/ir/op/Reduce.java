package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.Locale;

/**
 * Sum, mean, maximum, minimum or product over {@code axes}, which keep extent 1. Sums and products of 16-bit floats
 * accumulate in f32 and round to the operand's dtype at the end. Elements that share the maximum or minimum share its
 * gradient evenly.
 *
 * @param wide whether a sum of floats stays f32 (f64 of f64) instead of being rounded to the operand's dtype
 */
public record Reduce(Kind kind, List<Integer> axes, boolean wide) implements Op, Differentiable {
    /** What becomes of the elements. */
    public enum Kind {
        SUM,
        /** Floating point only. */
        MEAN,
        MAX,
        MIN,
        /** Floating point only. */
        PROD
    }

    private static final String PREFIX = "reduce_";

    public Reduce {
        axes = Expect.axes(axes);
        Expect.argument(!wide || kind == Kind.SUM, "%s cannot be wide", kind);
    }

    public Reduce(Kind kind, List<Integer> axes) {
        this(kind, axes, false);
    }

    public static Reduce parse(String mnemonic, Attributes attributes) {
        String name = mnemonic.substring(PREFIX.length()).toUpperCase(Locale.ROOT);
        return new Reduce(Kind.valueOf(name), attributes.integers("axes"), attributes.isWide());
    }

    @Override
    public String mnemonic() {
        return PREFIX + kind.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("axes", axes).withWide(wide);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        switch (kind) {
            case SUM, MAX, MIN ->
                require(x.dtype().isFloat() || x.dtype().isInteger(), "%s takes numbers, got %s", mnemonic(), x);
            case MEAN, PROD -> Expect.floating(this, x);
        }
        axes.forEach(axis -> Expect.axis(this, axis, x));
        require(!wide || x.dtype().isFloat(), "%s keeps wide sums of floats alone, got %s", mnemonic(), x);
        return List.of(Expect.sum(x, wide).with(x.shape().reduced(axes)));
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        return List.of(
                switch (kind) {
                    case SUM -> total(operands, new BatchRole.Sum());
                    case MEAN -> total(operands, new BatchRole.Mean());
                    case MAX -> whole(operands, "takes the maximum");
                    case MIN -> whole(operands, "takes the minimum");
                    case PROD -> whole(operands, "takes the product");
                });
    }

    private BatchRole total(BatchOperands operands, BatchRole overRows) {
        BatchRole x = operands.linear();
        return axes.stream().anyMatch(x::isAlong) ? overRows : x;
    }

    private BatchRole whole(BatchOperands operands, String what) {
        operands.apart(
                0,
                what + " over the batch",
                axes.stream().mapToInt(Integer::intValue).toArray());
        return operands.nonlinear(what + " of a mean over the batch");
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return operands.getFirst().elements();
    }

    @Override
    public void differentiate(GradientContext context) {
        TensorType x = context.type(context.operand(0));
        ValueId dy = context.cast(context.upstream(), x.dtype());
        switch (kind) {
            case SUM -> context.contribute(0, context.expand(dy, x.shape()));
            case MEAN -> {
                long count = x.elements() / context.type(dy).elements();
                ValueId wide = context.cast(dy, x.dtype().accumulator());
                ValueId share = context.cast(context.scale(wide, 1.0 / count), x.dtype());
                context.contribute(0, context.expand(share, x.shape()));
            }
            case MAX, MIN -> shareAmongEquals(context);
            case PROD -> differentiateProduct(context);
        }
    }

    private void shareAmongEquals(GradientContext context) {
        ValueId x = context.operand(0);
        Shape shape = context.type(x).shape();
        DType dtype = context.type(x).dtype();
        DType wide = dtype.accumulator();
        ValueId equal = context.compare(Compare.Kind.EQ, x, context.expand(context.result(0), shape));
        ValueId count = context.sum(context.cast(equal, wide), axes);
        ValueId share = context.cast(context.div(context.cast(context.upstream(), wide), count), dtype);
        ValueId zero = context.filled(0, context.type(x));
        context.contribute(0, context.select(equal, context.expand(share, shape), zero));
    }

    /**
     * The product of the other elements: without zeros the quotient of product and element; a zero alone gets the
     * product of the others, which then get 0, and two zeros leave nothing.
     */
    private void differentiateProduct(GradientContext context) {
        ValueId x = context.operand(0);
        TensorType type = context.type(x);
        ValueId zero = context.filled(0, type);
        ValueId one = context.filled(1, type);
        ValueId isZero = context.compare(Compare.Kind.EQ, x, zero);
        ValueId others = context.apply(this, context.select(isZero, one, x));
        ValueId zeros = context.sum(context.cast(isZero, type.dtype().accumulator()), axes);
        ValueId alone = context.compare(Compare.Kind.EQ, zeros, 1);
        ValueId none = context.compare(Compare.Kind.EQ, zeros, 0);
        ValueId nothing = context.filled(0, context.type(others));
        ValueId atZero = context.mul(context.upstream(), context.select(alone, others, nothing));
        ValueId elsewhere = context.mul(context.upstream(), context.select(none, others, nothing));
        ValueId quotient = context.div(context.expand(elsewhere, type.shape()), context.select(isZero, one, x));
        context.contribute(0, context.select(isZero, context.expand(atZero, type.shape()), quotient));
    }
}
