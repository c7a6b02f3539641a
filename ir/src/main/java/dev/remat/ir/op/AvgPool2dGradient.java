package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Gradient of {@link AvgPool2d}: {@code dy [N, C, h, w] → dx [N, C, height, width]}.
 *
 * @param height rows of what was pooled
 * @param width columns of what was pooled
 */
public record AvgPool2dGradient(PoolWindow window, boolean countPadding, Dim height, Dim width) implements AfterLoss {
    public AvgPool2dGradient {
        Expect.argument(!(countPadding && window.partial()), "means that count padding are of whole windows");
    }

    public static AvgPool2dGradient parse(Attributes attributes) {
        return new AvgPool2dGradient(
                PoolWindow.parse(attributes),
                attributes.flag("count_padding"),
                attributes.dim("height"),
                attributes.dim("width"));
    }

    @Override
    public String mnemonic() {
        return "avg_pool2d_grad";
    }

    @Override
    public Attributes attributes() {
        return window.attributes()
                .with("count_padding", countPadding)
                .with("height", height)
                .with("width", width);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 1);
        TensorType dy = operands.getFirst();
        Expect.floating(this, dy);
        Expect.rank(this, "a gradient", dy, 4);
        TensorType x = dy.with(window.layout().shape(dy.dim(0), window.layout().channels(dy), height, width));
        boolean fits = window.pooled(this, x).equals(dy);
        require(fits, "%s cannot come from pooling %s", dy, x);
        return List.of(x);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return Math.multiplyExact(window.area(), operands.getFirst().elements());
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new AvgPool2dGradient(window, countPadding, dims.apply(height), dims.apply(width));
    }
}
