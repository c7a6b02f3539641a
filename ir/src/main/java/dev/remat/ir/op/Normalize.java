package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.DType;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * {@code y = (x − mean)·rsqrt(variance + epsilon)·gamma + beta}, computed in f32 (f64 for f64) and rounded to the dtype
 * of {@code x}: layer, batch, group and RMS normalization (Ba et al., 2016; Ioffe and Szegedy, 2015; Wu and He, 2018;
 * Zhang and Sennrich, 2019).
 *
 * <p>Operands are {@code x}, {@code mean} if centered, {@code variance}, {@code gamma} if scaled and {@code beta} if
 * shifted. Statistics have the shape of {@code x} with extent 1 at {@code axes}; gamma and beta have one shape of the
 * rank of {@code x}, with extent 1 where they repeat, and are f32 or of the dtype of {@code x}.
 *
 * <p>The gradient takes the statistics for those of {@code x} by {@link NormStatistics} over the same axes and is the
 * total one, through them. In evaluation they are running ones, and no gradient is asked for.
 *
 * @param shifted takes a scale too
 */
public record Normalize(List<Integer> axes, double epsilon, boolean centered, boolean scaled, boolean shifted)
        implements Elementwise, Differentiable {
    public Normalize {
        axes = Expect.axes(axes);
        Expect.fromZero("epsilon", epsilon);
        Expect.argument(scaled || !shifted, "a normalization that shifts without scaling");
    }

    public static Normalize parse(Attributes attributes) {
        return new Normalize(
                attributes.integers("axes"),
                attributes.real("epsilon"),
                attributes.flag("centered"),
                attributes.flag("scaled"),
                attributes.flag("shifted"));
    }

    @Override
    public String mnemonic() {
        return "normalize";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE
                .with("axes", axes)
                .with("epsilon", epsilon)
                .with("centered", centered)
                .with("scaled", scaled)
                .with("shifted", shifted);
    }

    /** Position of the variance among the operands. */
    public int varianceIndex() {
        return centered ? 2 : 1;
    }

    /** Position of gamma among the operands of a scaled one. */
    public int gammaIndex() {
        return varianceIndex() + 1;
    }

    /** Position of beta among the operands of a shifted one. */
    public int betaIndex() {
        return gammaIndex() + 1;
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 2 + (centered ? 1 : 0) + (scaled ? 1 : 0) + (shifted ? 1 : 0));
        TensorType x = operands.getFirst();
        Expect.floating(this, x);
        axes.forEach(axis -> Expect.axis(this, axis, x));
        Shape reduced = x.shape().reduced(axes);
        TensorType statistic = new TensorType(x.dtype().accumulator(), reduced);
        if (centered) {
            Expect.type(this, "a mean", operands.get(1), statistic);
        }
        Expect.type(this, "a variance", operands.get(varianceIndex()), statistic);
        if (scaled) {
            affine("a scale", operands.get(gammaIndex()), x);
        }
        if (shifted) {
            affine("a shift", operands.get(betaIndex()), x);
            Expect.shape(
                    this,
                    "a shift",
                    operands.get(betaIndex()),
                    operands.get(gammaIndex()).shape());
        }
        return List.of(x);
    }

    /** Statistics may be those of the micro-batch where they are over the batch. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        OptionalInt rows = operands.role(0).rowAxis();
        boolean together = rows.isPresent() && axes.contains(rows.getAsInt());
        int[] others = IntStream.range(0, operands.count())
                .filter(i -> !together || i == 0 || i >= gammaIndex() || !(operands.role(i) instanceof BatchRole.Own))
                .toArray();
        BatchRole y = operands.nonlinear("normalizes by a mean over the batch", others);
        return List.of(others.length < operands.count() ? y.unlike() : y);
    }

    private void affine(String what, TensorType type, TensorType x) {
        DType wide = x.dtype().accumulator();
        boolean suits = type.dtype() == x.dtype() || type.dtype() == wide;
        require(suits, "normalize wants %s of %s or %s, got %s", what, x.dtype().label(), wide.label(), type);
        Expect.repeatable(this, what, type, x.shape());
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return (1 + (centered ? 1 : 0) + (scaled ? 1 : 0) + (shifted ? 1 : 0))
                * results.getFirst().elements();
    }

    @Override
    public void differentiate(GradientContext context) {
        List<ValueId> operands = new ArrayList<>();
        operands.add(context.upstream());
        for (int i = 0; i < (scaled ? betaIndex() : gammaIndex()); i++) {
            operands.add(context.operand(i));
        }
        Op op = new NormalizeGradient(axes, epsilon, centered, scaled, shifted);
        List<ValueId> gradients = context.emit(op, operands);
        context.contribute(0, gradients.getFirst());
        if (scaled) {
            DType dtype = context.type(context.operand(gammaIndex())).dtype();
            context.contribute(gammaIndex(), context.cast(gradients.get(1), dtype));
        }
        if (shifted) {
            DType dtype = context.type(context.operand(betaIndex())).dtype();
            context.contribute(betaIndex(), context.cast(gradients.get(2), dtype));
        }
    }
}
