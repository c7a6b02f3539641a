package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.PoolWindow;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.reference.TurnedImages;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Convolutions and pooling of images whose channels come last. */
public final class ChannelCases {
    private static final double SCALE = 10;

    private final DType dtype;
    private final Random random = new Random(15);
    private final List<OpCase> cases = new ArrayList<>();

    private ChannelCases(DType dtype) {
        this.dtype = dtype;
    }

    /** Whole chunks of channels and odd ones, several tiles, groups, strides that leave pixels out, split sums. */
    public static List<OpCase> convolutions(DType dtype) {
        ChannelCases made = new ChannelCases(dtype);
        made.convolve(new ConvGeometry(1, 1, 1, 1, 1, 1, 1), new long[] {2, 16, 9, 16}, new long[] {72, 16, 3, 3});
        made.convolve(new ConvGeometry(2, 2, 1, 1, 1, 1, 1), new long[] {2, 16, 10, 12}, new long[] {24, 16, 3, 3});
        made.convolve(new ConvGeometry(2, 2, 3, 3, 1, 1, 1), new long[] {2, 3, 25, 21}, new long[] {10, 3, 7, 7});
        made.convolve(new ConvGeometry(2, 1, 2, 0, 1, 2, 2), new long[] {3, 10, 11, 13}, new long[] {14, 5, 3, 2});
        made.convolve(new ConvGeometry(1, 1, 0, 0, 1, 1, 1), new long[] {2, 24, 8, 8}, new long[] {40, 24, 1, 1});
        made.convolve(new ConvGeometry(1, 1, 0, 0, 1, 1, 2), new long[] {2, 24, 5, 7}, new long[] {16, 12, 1, 1});
        made.convolve(new ConvGeometry(2, 2, 0, 0, 1, 1, 1), new long[] {2, 16, 16, 8}, new long[] {24, 16, 1, 1});
        made.convolve(new ConvGeometry(3, 2, 0, 0, 1, 1, 1), new long[] {2, 5, 9, 8}, new long[] {7, 5, 1, 1});
        made.convolve(new ConvGeometry(1, 1, 1, 1, 1, 1, 1), new long[] {1, 128, 4, 4}, new long[] {8, 128, 3, 3});
        return made.cases;
    }

    /** Windows that overlap, leave pixels out and reach over the edge; whole packs of channels and odd ones. */
    public static List<OpCase> pools(DType dtype) {
        ChannelCases made = new ChannelCases(dtype);
        made.pool(new PoolWindow(3, 3, 2, 2, 1, 1), 2, 16, 13, 11);
        made.pool(new PoolWindow(2, 2, 2, 2, 0, 0), 3, 24, 9, 8);
        made.pool(new PoolWindow(3, 2, 1, 3, 1, 0, true), 2, 5, 8, 10);
        made.pool(new PoolWindow(2, 4, 3, 1, 0, 2), 2, 6, 10, 7);
        return made.cases;
    }

    private void convolve(ConvGeometry geometry, long[] images, long[] filters) {
        Tensor x = OpCases.random(random, dtype, images);
        Tensor w = OpCases.random(random, dtype, filters);
        Op forward = new Conv2d(geometry);
        Tensor dy = like(forward, x, w);
        add(forward, TurnedImages.turned(x), w);
        if (dtype.bytes() == 2) {
            add(new Conv2d(geometry, true), TurnedImages.turned(x), w);
        }
        add(new ConvTranspose2d(geometry, x.type().dim(2), x.type().dim(3)), TurnedImages.turned(dy), w);
        Op byFilters =
                new Conv2dWeightGradient(geometry, w.type().dim(2), w.type().dim(3));
        add(byFilters, TurnedImages.turned(x), TurnedImages.turned(dy));
    }

    private void pool(PoolWindow window, long... images) {
        Tensor x = OpCases.random(random, dtype, images);
        Op max = new MaxPool2d(window);
        Tensor dy = like(max, x);
        add(max, TurnedImages.turned(x));
        add(new MaxPool2dGradient(window), TurnedImages.turned(dy), TurnedImages.turned(x));
        // Means that count padding are of whole windows.
        for (boolean countPadding : window.partial() ? new boolean[] {false} : new boolean[] {false, true}) {
            add(new AvgPool2d(window, countPadding), TurnedImages.turned(x));
            Op gradient = new AvgPool2dGradient(
                    window, countPadding, x.type().dim(2), x.type().dim(3));
            add(gradient, TurnedImages.turned(dy));
        }
    }

    private Tensor like(Op op, Tensor... operands) {
        TensorType result =
                op.infer(List.of(operands).stream().map(Tensor::type).toList()).getFirst();
        return OpCases.random(random, dtype, result.shape().toArray());
    }

    private void add(Op onPlanes, Tensor... operands) {
        Op op = TurnedImages.in(onPlanes, ImageLayout.NHWC).orElseThrow();
        cases.add(OpCase.of(op, List.of(operands), dtype, SCALE));
    }
}
