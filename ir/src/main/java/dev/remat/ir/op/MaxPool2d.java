package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/** Maximum of each window: {@code [N, C, H, W] → [N, C, h, w]}; padding never wins. */
public record MaxPool2d(PoolWindow window) implements Op, Differentiable {
    public static MaxPool2d parse(Attributes attributes) {
        return new MaxPool2d(PoolWindow.parse(attributes));
    }

    @Override
    public String mnemonic() {
        return "max_pool2d";
    }

    @Override
    public Attributes attributes() {
        return window.attributes();
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
                "takes the maximum over the batch",
                window.layout().axis(2),
                window.layout().axis(3));
        return List.of(operands.nonlinear("takes the maximum of a mean over the batch"));
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return Math.multiplyExact(window.area(), results.getFirst().elements());
    }

    @Override
    public void differentiate(GradientContext context) {
        Op op = new MaxPool2dGradient(window);
        context.contribute(0, context.apply(op, context.upstream(), context.operand(0)));
    }
}
