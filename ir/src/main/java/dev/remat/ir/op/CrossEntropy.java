package dev.remat.ir.op;

import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Mean negative log-likelihood: {@code (logits [N, V], targets [N] of i32 or i64)} to the loss, a scalar, and the
 * log-sum-exp {@code [N]} of each row, both f32 (f64 for f64). The mean runs over the targets that are not
 * {@code ignoreIndex}; without any it is not a number, as in PyTorch. The log-sum-exp has no gradient of its own.
 *
 * @param labelSmoothing share of the likelihood that is spread over all classes (Szegedy et al., 2016)
 * @param perRow whether the loss is that of each row, {@code [N]} with 0 where the target is ignored, and not the mean
 */
public record CrossEntropy(double labelSmoothing, long ignoreIndex, boolean perRow) implements Op, Differentiable {
    private static final String ROWS = "cross_entropy_rows";

    /** The mean. */
    public CrossEntropy(double labelSmoothing, long ignoreIndex) {
        this(labelSmoothing, ignoreIndex, false);
    }

    public CrossEntropy {
        Expect.argument(labelSmoothing >= 0 && labelSmoothing <= 1, "label smoothing %s", labelSmoothing);
    }

    public static CrossEntropy parse(String mnemonic, Attributes attributes) {
        return new CrossEntropy(
                attributes.real("label_smoothing"), attributes.number("ignore_index"), mnemonic.equals(ROWS));
    }

    @Override
    public String mnemonic() {
        return perRow ? ROWS : "cross_entropy";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("label_smoothing", labelSmoothing).with("ignore_index", ignoreIndex);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        TensorType logits = operands.get(0);
        TensorType targets = operands.get(1);
        Expect.floating(this, logits);
        Expect.rank(this, "logits", logits, 2);
        Expect.integer(this, "targets", targets);
        Shape rows = new Shape(List.of(logits.dim(0)));
        Expect.shape(this, "targets", targets, rows);
        TensorType lse = new TensorType(logits.dtype().accumulator(), rows);
        return List.of(perRow ? lse : TensorType.scalar(lse.dtype()), lse);
    }

    /** By row; the mean is over targets that count, so that it must be written as sum and count. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        operands.apart(0, "takes the softmax over the batch", 1);
        BatchRole rows = operands.nonlinear("takes the cross-entropy of a mean over the batch");
        if (!perRow && rows.rowAxis().isPresent()) {
            throw new IllegalStateException("a mean over the targets of the batch is no mean over its rows");
        }
        return List.of(rows, rows);
    }

    /** Maximum, difference, exponential and sum. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return 4 * operands.getFirst().elements();
    }

    @Override
    public OptionalInt indexedAxis() {
        return OptionalInt.of(1);
    }

    @Override
    public OptionalLong ignoredIndex() {
        return OptionalLong.of(ignoreIndex);
    }

    @Override
    public void differentiate(GradientContext context) {
        if (context.upstream(1).isPresent()) {
            throw new IllegalStateException("the log-sum-exp of cross_entropy has no gradient");
        }
        ValueId dloss = context.upstream();
        ValueId gradient = context.apply(
                new CrossEntropyGradient(this), dloss, context.operand(0), context.operand(1), context.result(1));
        context.contribute(0, gradient);
    }
}
