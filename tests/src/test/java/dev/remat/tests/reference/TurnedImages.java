package dev.remat.tests.reference;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.Op;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Operations on images whose channels come last, by those on planes: images are turned there and back. */
public final class TurnedImages {
    private TurnedImages() {}

    /** The same on planes; empty where the operation is already. */
    static Optional<Op> onPlanes(Op op) {
        return in(op, ImageLayout.NCHW).filter(planes -> !planes.equals(op));
    }

    /** An operation on images in another layout; empty where it has none. */
    public static Optional<Op> in(Op op, ImageLayout layout) {
        return switch (op) {
            case Conv2d c -> Optional.of(new Conv2d(c.geometry().in(layout), c.moments()));
            case ConvTranspose2d c ->
                Optional.of(new ConvTranspose2d(c.geometry().in(layout), c.outputH(), c.outputW()));
            case Conv2dWeightGradient c ->
                Optional.of(new Conv2dWeightGradient(c.geometry().in(layout), c.filterH(), c.filterW(), c.wide()));
            case MaxPool2d p -> Optional.of(new MaxPool2d(p.window().in(layout)));
            case MaxPool2dGradient p ->
                Optional.of(new MaxPool2dGradient(p.window().in(layout)));
            case AvgPool2d p -> Optional.of(new AvgPool2d(p.window().in(layout), p.countPadding()));
            case AvgPool2dGradient p ->
                Optional.of(new AvgPool2dGradient(p.window().in(layout), p.countPadding(), p.height(), p.width()));
            default -> Optional.empty();
        };
    }

    /** What {@code op} makes of operands with their channels last, {@code planes} of the others. */
    static List<Tensor> evaluate(Op op, Op planes, Evaluation e) {
        List<Tensor> operands = IntStream.range(0, e.operands().size())
                .mapToObj(i -> isFilter(op, i) ? e.operand(i) : planes(e.operand(i)))
                .toList();
        List<TensorType> types =
                planes.infer(operands.stream().map(Tensor::type).toList());
        List<Tensor> results = new Evaluation(operands, types, e.userSeed(), e.step(), e.microBatch()).apply(planes);
        return op instanceof Conv2dWeightGradient
                ? results
                : results.stream().map(TurnedImages::turned).toList();
    }

    private static boolean isFilter(Op op, int operand) {
        return operand == 1 && (op instanceof Conv2d || op instanceof ConvTranspose2d);
    }

    private static Tensor planes(Tensor last) {
        TensorType type = last.type();
        ImageLayout from = ImageLayout.NHWC;
        TensorType planes = type.with(
                ImageLayout.NCHW.shape(type.dim(0), from.channels(type), from.height(type), from.width(type)));
        return Tensor.generate(planes, at -> last.at(at[0], at[2], at[3], at[1]));
    }

    /** Planes with their channels last. */
    public static Tensor turned(Tensor planes) {
        TensorType type = planes.type();
        TensorType last = type.with(ImageLayout.NHWC.shape(type.dim(0), type.dim(1), type.dim(2), type.dim(3)));
        return Tensor.generate(last, at -> planes.at(at[0], at[3], at[1], at[2]));
    }
}
