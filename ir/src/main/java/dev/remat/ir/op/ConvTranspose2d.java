package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Adjoint of {@link Conv2d} by its input: {@code y [N, O, h, w]} and filters {@code w [O, C/groups, kh, kw]} to
 * {@code [N, C, outputH, outputW]}, images in the geometry's layout. It is the gradient by the
 * input and a layer in its own right; the extents of the result are given, since several give the same {@code h} and
 * {@code w}.
 */
public record ConvTranspose2d(ConvGeometry geometry, Dim outputH, Dim outputW) implements Op, Differentiable {
    public static ConvTranspose2d parse(Attributes attributes) {
        ConvGeometry geometry = ConvGeometry.parse(attributes);
        return new ConvTranspose2d(geometry, attributes.dim("output_h"), attributes.dim("output_w"));
    }

    @Override
    public String mnemonic() {
        return "conv_transpose2d";
    }

    @Override
    public Attributes attributes() {
        return geometry.attributes().with("output_h", outputH).with("output_w", outputW);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        TensorType y = operands.get(0);
        TensorType w = operands.get(1);
        Expect.floating(this, y);
        Expect.rank(this, "an input", y, 4);
        Expect.rank(this, "kernels", w, 4);
        Expect.dtype(this, "kernels", w, y.dtype());
        ImageLayout layout = geometry.layout();
        require(w.dim(0).equals(layout.channels(y)), "conv_transpose2d cannot apply kernels %s to %s", w, y);
        int groups = geometry.groups();
        boolean whole = Conv2d.divides(groups, w.dim(0));
        require(whole, "conv_transpose2d cannot divide the kernels %s into %d groups", w, groups);
        boolean fits = geometry.outputH(outputH, w.dim(2)).equals(layout.height(y))
                && geometry.outputW(outputW, w.dim(3)).equals(layout.width(y));
        require(fits, "conv_transpose2d of %s by %s does not give %s x %s", y, w, outputH, outputW);
        return List.of(y.with(layout.shape(y.dim(0), w.dim(1).times(groups), outputH, outputW)));
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        operands.apart(0, "convolves along the batch", 1, 2, 3);
        operands.unbatched(1, "has filters for each row of the batch");
        return List.of(operands.product());
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return Conv2d.flops(operands.get(0), operands.get(1));
    }

    /** The gradient by the filters comes first, so that their update can free it at once. */
    @Override
    public void differentiate(GradientContext context) {
        ValueId gradient = context.upstream();
        ValueId y = context.operand(0);
        ValueId w = context.operand(1);
        if (context.wanted(1)) {
            TensorType filter = context.type(w);
            Op op = new Conv2dWeightGradient(geometry, filter.dim(2), filter.dim(3), context.wide(1));
            context.contribute(1, context.apply(op, gradient, y));
        }
        if (context.wanted(0)) {
            context.contribute(0, context.apply(new Conv2d(geometry), gradient, w));
        }
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new ConvTranspose2d(geometry, dims.apply(outputH), dims.apply(outputW));
    }
}
