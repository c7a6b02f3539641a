package dev.remat.tests.reference;

import dev.remat.ir.Shape;
import dev.remat.ir.op.ConvGeometry;

/** Convolutions as sums over all triples of an input element, a weight and an output element that meet. */
final class Convolutions {
    /** What becomes of three elements that meet. */
    private interface Meeting {
        void accept(long[] input, long[] weight, long[] output);
    }

    private Convolutions() {}

    static Tensor forward(Evaluation e, ConvGeometry geometry) {
        Tensor y = Tensor.zeros(e.type());
        Tensor x = e.operand(0);
        Tensor w = e.operand(1);
        meet(x, w, y, geometry, (i, k, o) -> y.add(x.at(i) * w.at(k), o));
        return y;
    }

    static Tensor byInput(Evaluation e, ConvGeometry geometry) {
        Tensor x = Tensor.zeros(e.type());
        Tensor y = e.operand(0);
        Tensor w = e.operand(1);
        meet(x, w, y, geometry, (i, k, o) -> x.add(y.at(o) * w.at(k), i));
        return x;
    }

    static Tensor byFilter(Evaluation e, ConvGeometry geometry) {
        Tensor w = Tensor.zeros(e.type());
        Tensor x = e.operand(0);
        Tensor y = e.operand(1);
        meet(x, w, y, geometry, (i, k, o) -> w.add(x.at(i) * y.at(o), k));
        return w;
    }

    private static void meet(Tensor x, Tensor w, Tensor y, ConvGeometry g, Meeting meeting) {
        long kernelsPerGroup = w.extent(0) / g.groups();
        long channelsPerGroup = w.extent(1);
        Shape filter = new Shape(w.type().shape().dims().subList(1, 4));
        Tensor.forEachIndex(
                y.type().shape(),
                out -> Tensor.forEachIndex(filter, k -> {
                    long[] weight = {out[1], k[0], k[1], k[2]};
                    long[] in = {
                        out[0],
                        out[1] / kernelsPerGroup * channelsPerGroup + k[0],
                        out[2] * g.strideH() - g.paddingH() + k[1] * g.dilationH(),
                        out[3] * g.strideW() - g.paddingW() + k[2] * g.dilationW(),
                    };
                    if (x.contains(in)) {
                        meeting.accept(in, weight, out);
                    }
                }));
    }
}
