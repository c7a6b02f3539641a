package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Mean of each window: {@code [N, C, H, W] → [N, C, h, w]}, images in the window's layout.
 *
 * @param countPadding divide by the whole window, padding included, instead of by the elements inside the input; not
 *     of partial windows, of which people mean what is within the padding: pad such images first
 */
public record AvgPool2d(PoolWindow window, boolean countPadding) implements Op, Differentiable {
    public AvgPool2d {
        Expect.argument(!window.isDilated(), "means are of windows without dilation");
        Expect.argument(!(countPadding && window.partial()), "means that count padding are of whole windows");
    }

    public static AvgPool2d parse(Attributes attributes) {
        return new AvgPool2d(PoolWindow.parse(attributes), attributes.flag("count_padding"));
    }

    @Override
    public String mnemonic() {
        return "avg_pool2d";
    }

    @Override
    public Attributes attributes() {
        return window.attributes().with("count_padding", countPadding);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        return List.of(window.pooled(this, operands.getFirst()));
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        operands.apart(
                0,
                "takes the mean of neighbours in the batch",
                window.layout().axis(2),
                window.layout().axis(3));
        return List.of(operands.linear());
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return Math.multiplyExact(window.area(), results.getFirst().elements());
    }

    @Override
    public void differentiate(GradientContext context) {
        TensorType x = context.type(context.operand(0));
        Op op = new AvgPool2dGradient(
                window, countPadding, window.layout().height(x), window.layout().width(x));
        context.contribute(0, context.apply(op, context.upstream()));
    }
}
