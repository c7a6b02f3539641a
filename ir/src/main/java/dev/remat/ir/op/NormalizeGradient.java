package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.ArrayList;
import java.util.List;

/**
 * Total gradient of {@link Normalize} over the statistics of {@code x} itself: {@code dy}, {@code x}, {@code mean} if
 * centered, {@code variance}, {@code gamma} if scaled to {@code dx}, {@code dgamma} if scaled, {@code dbeta} if
 * shifted.
 *
 * <p>With {@code h = (x − mean)·r}, {@code r = rsqrt(variance + epsilon)}, {@code g = dy·gamma} and means over the
 * axes: {@code dx = r·(g − mean(g) − h·mean(g·h))}, without {@code mean(g)} where not centered; {@code dgamma} sums
 * {@code dy·h} and {@code dbeta} sums {@code dy} where gamma repeats, in gamma's shape and f32 (f64 for f64).
 */
public record NormalizeGradient(List<Integer> axes, double epsilon, boolean centered, boolean scaled, boolean shifted)
        implements AfterLoss {
    public NormalizeGradient {
        axes = Expect.axes(axes);
        Expect.argument(epsilon >= 0, "epsilon %s is negative", epsilon);
        Expect.argument(scaled || !shifted, "a normalization that shifts without scaling");
    }

    public static NormalizeGradient parse(Attributes attributes) {
        Normalize forward = Normalize.parse(attributes);
        return new NormalizeGradient(
                forward.axes(), forward.epsilon(), forward.centered(), forward.scaled(), forward.shifted());
    }

    @Override
    public String mnemonic() {
        return "normalize_grad";
    }

    @Override
    public Attributes attributes() {
        return forward().attributes();
    }

    private Normalize forward() {
        return new Normalize(axes, epsilon, centered, scaled, shifted);
    }

    /** Position of the variance among the operands. */
    public int varianceIndex() {
        return centered ? 3 : 2;
    }

    /** Position of gamma among the operands of a scaled one. */
    public int gammaIndex() {
        return varianceIndex() + 1;
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 3 + (centered ? 1 : 0) + (scaled ? 1 : 0));
        TensorType x = operands.get(1);
        new Normalize(axes, epsilon, centered, scaled, false).infer(operands.subList(1, operands.size()));
        Expect.type(this, "a gradient", operands.getFirst(), x);
        List<TensorType> results = new ArrayList<>();
        results.add(x);
        if (scaled) {
            DType wide = x.dtype().accumulator();
            results.add(operands.get(gammaIndex()).with(wide));
        }
        if (shifted) {
            results.add(results.get(1));
        }
        return List.copyOf(results);
    }

    /** Two reductions and the elementwise work around them. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return (8 + (scaled ? 3 : 0) + (shifted ? 1 : 0)) * results.getFirst().elements();
    }
}
