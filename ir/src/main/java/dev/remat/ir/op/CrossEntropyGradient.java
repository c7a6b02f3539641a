package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;
import java.util.OptionalInt;

/**
 * Gradient of {@link CrossEntropy}: {@code (dloss, logits [N, V], targets [N], lse [N]) → dlogits}, where
 * {@code dlogits = dloss/n·(exp(logits − lse) − (1 − labelSmoothing)·onehot(target) − labelSmoothing/V)} in the
 * {@code n} rows that are not ignored and 0 in the others. With a loss for each row, {@code dloss} is {@code [N]} and
 * taken as it is. Where the rows are a chunk of those that the mean is over, the targets of all come last, and
 * {@code n} is counted among them.
 */
public record CrossEntropyGradient(CrossEntropy forward) implements AfterLoss {
    private static final String SUFFIX = "_grad";

    public static CrossEntropyGradient parse(String mnemonic, Attributes attributes) {
        String loss = mnemonic.substring(0, mnemonic.length() - SUFFIX.length());
        return new CrossEntropyGradient(CrossEntropy.parse(loss, attributes));
    }

    @Override
    public String mnemonic() {
        return forward.mnemonic() + SUFFIX;
    }

    @Override
    public Attributes attributes() {
        return forward.attributes();
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, !forward.perRow() && operands.size() == 5 ? 5 : 4);
        List<TensorType> losses = forward.infer(operands.subList(1, 3));
        Expect.type(this, "a gradient", operands.get(0), losses.get(0));
        Expect.type(this, "a log-sum-exp", operands.get(3), losses.get(1));
        if (operands.size() == 5) {
            TensorType all = operands.get(4);
            Expect.rank(this, "all targets", all, 1);
            Expect.type(this, "all targets", all, operands.get(2).with(all.shape()));
        }
        return List.of(operands.get(1));
    }

    /** Of the logits. */
    @Override
    public OptionalInt computesInPlaceOf(int operands) {
        return OptionalInt.of(1);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return 4 * results.getFirst().elements();
    }
}
