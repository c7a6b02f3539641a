package dev.remat.ir.op;

import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.Collections;
import java.util.List;

/**
 * Mean and biased variance of {@code x} over {@code axes}, or, not centered, its mean square alone: f32 (f64 for f64)
 * with extent 1 at the axes.
 *
 * <p>Their gradient is part of the total gradient that {@link Normalize} gives, so a loss may depend on them through it
 * alone.
 */
public record NormStatistics(List<Integer> axes, boolean centered) implements Op, Differentiable {
    public NormStatistics {
        axes = Expect.axes(axes);
    }

    public static NormStatistics parse(Attributes attributes) {
        return new NormStatistics(attributes.integers("axes"), attributes.flag("centered"));
    }

    @Override
    public String mnemonic() {
        return "norm_statistics";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("axes", axes).with("centered", centered);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType x = operands.getFirst();
        Expect.floating(this, x);
        axes.forEach(axis -> Expect.axis(this, axis, x));
        Shape shape = x.shape().reduced(axes);
        TensorType statistic = new TensorType(x.dtype().accumulator(), shape);
        return centered ? List.of(statistic, statistic) : List.of(statistic);
    }

    /** The statistics of rows that are normalized together are those of the micro-batch. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        BatchRole x = operands.nonlinear("takes the variance of a mean over the batch");
        boolean own = x.rowAxis().isPresent() && axes.contains(x.rowAxis().getAsInt());
        return Collections.nCopies(centered ? 2 : 1, own ? new BatchRole.Own() : x);
    }

    /** A square and a sum for each element, and a sum more for the mean. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return (centered ? 3 : 2) * operands.getFirst().elements();
    }

    /** Contributes nothing: {@link Normalize} already gave the gradient through the statistics. */
    @Override
    public void differentiate(GradientContext context) {
        boolean other = context.upstream(0).isPresent()
                || centered && context.upstream(1).isPresent();
        if (other) {
            throw new IllegalStateException("a loss depends on norm_statistics by another way than normalize");
        }
    }
}
