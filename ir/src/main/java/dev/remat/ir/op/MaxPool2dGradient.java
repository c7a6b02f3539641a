package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Gradient of {@link MaxPool2d}: {@code (dy [N, C, h, w], x [N, C, H, W]) → dx}. The first maximum of a window in
 * row-major order gets its gradient; which one that is, is found again from {@code x}.
 */
public record MaxPool2dGradient(PoolWindow window) implements AfterLoss {
    public static MaxPool2dGradient parse(Attributes attributes) {
        return new MaxPool2dGradient(PoolWindow.parse(attributes));
    }

    @Override
    public String mnemonic() {
        return "max_pool2d_grad";
    }

    @Override
    public Attributes attributes() {
        return window.attributes();
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        TensorType x = operands.get(1);
        Expect.type(this, "a gradient", operands.get(0), window.pooled(this, x));
        return List.of(x);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return Math.multiplyExact(window.area(), operands.getFirst().elements());
    }
}
