package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.List;

/**
 * Two-dimensional convolution, which is a cross-correlation as everywhere in deep learning: {@code x [N, C, H, W]} and
 * filters {@code w [O, C/groups, kh, kw]} to {@code y [N, O, h, w]}, images in the geometry's layout. 16-bit floats
 * accumulate in f32.
 *
 * @param moments whether mean and biased variance of each channel of {@code y} are results, too, as {@link
 *     NormStatistics} gives them; nothing differentiates such a convolution
 */
public record Conv2d(ConvGeometry geometry, boolean moments) implements Op, Differentiable {
    private static final String MOMENTS = "moments";

    public Conv2d(ConvGeometry geometry) {
        this(geometry, false);
    }

    public static Conv2d parse(Attributes attributes) {
        return new Conv2d(ConvGeometry.parse(attributes), attributes.has(MOMENTS) && attributes.flag(MOMENTS));
    }

    /** What gives the moments of {@code y}. */
    public NormStatistics statistics() {
        return new NormStatistics(
                List.of(0, geometry.layout().axis(2), geometry.layout().axis(3)), true);
    }

    @Override
    public String mnemonic() {
        return "conv2d";
    }

    @Override
    public Attributes attributes() {
        return moments ? geometry.attributes().with(MOMENTS, true) : geometry.attributes();
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2);
        TensorType x = operands.get(0);
        TensorType w = operands.get(1);
        Expect.floating(this, x);
        Expect.rank(this, "an input", x, 4);
        Expect.rank(this, "kernels", w, 4);
        Expect.dtype(this, "kernels", w, x.dtype());
        int groups = geometry.groups();
        boolean channels = w.dim(1).times(groups).equals(geometry.layout().channels(x));
        require(channels, "conv2d with %d groups cannot apply kernels %s to %s", groups, w, x);
        require(divides(groups, w.dim(0)), "conv2d cannot divide the kernels %s into %d groups", w, groups);
        ImageLayout layout = geometry.layout();
        Dim height = geometry.outputH(layout.height(x), w.dim(2));
        Dim width = geometry.outputW(layout.width(x), w.dim(3));
        boolean fits = !isEmpty(height) && !isEmpty(width);
        require(fits, "conv2d kernels %s reach over the edge of %s", w, x);
        TensorType y = x.with(layout.shape(x.dim(0), w.dim(0), height, width));
        List<TensorType> results = new ArrayList<>(List.of(y));
        if (moments) {
            results.addAll(statistics().infer(List.of(y)));
        }
        return List.copyOf(results);
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        operands.apart(0, "convolves along the batch", 1, 2, 3);
        operands.unbatched(1, "has filters for each row of the batch");
        BatchRole y = operands.product();
        return moments ? List.of(y, new BatchRole.Own(), new BatchRole.Own()) : List.of(y);
    }

    static boolean divides(int groups, Dim channels) {
        return channels.divideExact(Dim.of(groups)).isPresent();
    }

    static boolean isEmpty(Dim extent) {
        return extent.isConstant() && extent.value() <= 0;
    }

    /** A multiplication and an addition for each weight and output position of its channel. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        long products = flops(results.getFirst(), operands.get(1));
        return moments ? products + statistics().flops(List.of(results.getFirst()), results) : products;
    }

    /** The same number serves both gradients: {@code y} is the small side. */
    static long flops(TensorType y, TensorType w) {
        long perOutput = 2 * w.dim(1).value() * w.dim(2).value() * w.dim(3).value();
        return Math.multiplyExact(perOutput, y.elements());
    }

    @Override
    public boolean isDifferentiable() {
        return !moments;
    }

    /** The gradient by the filters comes first, so that their update can free it at once. */
    @Override
    public void differentiate(GradientContext context) {
        ValueId dy = context.upstream();
        ValueId x = context.operand(0);
        ValueId w = context.operand(1);
        TensorType input = context.type(x);
        TensorType filter = context.type(w);
        if (context.wanted(1)) {
            Op op = new Conv2dWeightGradient(geometry, filter.dim(2), filter.dim(3), context.wide(1));
            context.contribute(1, context.apply(op, x, dy));
        }
        if (context.wanted(0)) {
            Op op = new ConvTranspose2d(
                    geometry, geometry.layout().height(input), geometry.layout().width(input));
            context.contribute(0, context.apply(op, dy, w));
        }
    }
}
