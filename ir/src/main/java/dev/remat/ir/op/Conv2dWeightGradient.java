package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Adjoint of {@link Conv2d} by its filters: {@code x [N, C, H, W]} and {@code dy [N, O, h, w]} to
 * {@code [O, C/groups, filterH, filterW]}, images in the geometry's layout.
 *
 * @param wide whether sums stay f32 (f64 of f64) instead of being rounded to the operands' dtype
 */
public record Conv2dWeightGradient(ConvGeometry geometry, Dim filterH, Dim filterW, boolean wide) implements AfterLoss {
    public Conv2dWeightGradient(ConvGeometry geometry, Dim filterH, Dim filterW) {
        this(geometry, filterH, filterW, false);
    }

    public static Conv2dWeightGradient parse(Attributes attributes) {
        ConvGeometry geometry = ConvGeometry.parse(attributes);
        return new Conv2dWeightGradient(
                geometry, attributes.dim("kernel_h"), attributes.dim("kernel_w"), attributes.isWide());
    }

    @Override
    public String mnemonic() {
        return "conv2d_weight_grad";
    }

    @Override
    public Attributes attributes() {
        return geometry.attributes()
                .with("kernel_h", filterH)
                .with("kernel_w", filterW)
                .withWide(wide);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        TensorType x = operands.get(0);
        TensorType dy = operands.get(1);
        Expect.floating(this, x);
        Expect.rank(this, "an input", x, 4);
        Expect.rank(this, "a gradient", dy, 4);
        Expect.dtype(this, "a gradient", dy, x.dtype());
        ImageLayout layout = geometry.layout();
        boolean fits = x.dim(0).equals(dy.dim(0))
                && geometry.outputH(layout.height(x), filterH).equals(layout.height(dy))
                && geometry.outputW(layout.width(x), filterW).equals(layout.width(dy));
        require(fits, "%s by kernels of %s x %s does not pair %s and %s", mnemonic(), filterH, filterW, x, dy);
        int groups = geometry.groups();
        Dim inputs = layout.channels(x);
        Dim outputs = layout.channels(dy);
        boolean whole = Conv2d.divides(groups, inputs) && Conv2d.divides(groups, outputs);
        require(whole, "%s cannot divide the channels of %s and %s into %d groups", mnemonic(), x, dy, groups);
        Shape filters = new Shape(List.of(outputs, inputs.floorDiv(groups), filterH, filterW));
        return List.of(Expect.sum(x, wide).with(filters));
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return Conv2d.flops(operands.get(1), results.getFirst());
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new Conv2dWeightGradient(geometry, dims.apply(filterH), dims.apply(filterW), wide);
    }
}
