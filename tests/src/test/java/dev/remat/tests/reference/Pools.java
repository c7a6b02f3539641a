package dev.remat.tests.reference;

import dev.remat.ir.TensorType;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.PoolWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Pooling, window by window. */
final class Pools {
    private Pools() {}

    static Tensor max(Evaluation e, PoolWindow window) {
        Tensor x = e.operand(0);
        return Tensor.generate(
                e.type(), out -> firstMaximum(x, window, out).map(x::at).orElse(Double.NEGATIVE_INFINITY));
    }

    static Tensor maxGradient(Evaluation e, PoolWindow window) {
        Tensor dy = e.operand(0);
        Tensor x = e.operand(1);
        Tensor dx = Tensor.zeros(e.type());
        Tensor.forEachIndex(
                dy.type().shape(), out -> firstMaximum(x, window, out).ifPresent(at -> dx.add(dy.at(out), at)));
        return dx;
    }

    static Tensor mean(Evaluation e, AvgPool2d op) {
        Tensor x = e.operand(0);
        return Tensor.generate(e.type(), out -> {
            List<long[]> inside = inside(x.type(), op.window(), out);
            double sum = inside.stream().mapToDouble(x::at).sum();
            return sum / divisor(op.window(), op.countPadding(), inside.size());
        });
    }

    static Tensor meanGradient(Evaluation e, AvgPool2dGradient op) {
        Tensor dy = e.operand(0);
        Tensor dx = Tensor.zeros(e.type());
        Tensor.forEachIndex(dy.type().shape(), out -> {
            List<long[]> inside = inside(e.type(), op.window(), out);
            double share = dy.at(out) / divisor(op.window(), op.countPadding(), inside.size());
            inside.forEach(in -> dx.add(share, in));
        });
        return dx;
    }

    private static double divisor(PoolWindow window, boolean countPadding, int inside) {
        return countPadding ? window.windowH() * window.windowW() : inside;
    }

    /** Nowhere in a window that lies in the padding. */
    private static Optional<long[]> firstMaximum(Tensor x, PoolWindow window, long[] out) {
        return inside(x.type(), window, out).stream()
                .reduce((best, candidate) -> x.at(candidate) > x.at(best) ? candidate : best);
    }

    /** Input positions of a window in row-major order, without those in the padding. */
    private static List<long[]> inside(TensorType x, PoolWindow window, long[] out) {
        List<long[]> positions = new ArrayList<>();
        for (int i = 0; i < window.windowH(); i++) {
            for (int j = 0; j < window.windowW(); j++) {
                long row = out[2] * window.strideH() - window.paddingH() + (long) i * window.dilationH();
                long column = out[3] * window.strideW() - window.paddingW() + (long) j * window.dilationW();
                boolean inside = row >= 0
                        && row < x.dim(2).value()
                        && column >= 0
                        && column < x.dim(3).value();
                if (inside) {
                    positions.add(new long[] {out[0], out[1], row, column});
                }
            }
        }
        return positions;
    }
}
