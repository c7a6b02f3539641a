package dev.remat.tests.reference;

import dev.remat.ir.op.Concat;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.OwnShare;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.ScatterAdd;
import dev.remat.ir.op.Slice;
import dev.remat.ir.op.Transpose;
import java.util.Arrays;

/** Operations that move elements or add them up by index. */
final class Rearrangement {
    private Rearrangement() {}

    static Tensor transpose(Evaluation e, Transpose op) {
        return Tensor.generate(e.type(), index -> {
            long[] source = new long[index.length];
            for (int axis = 0; axis < index.length; axis++) {
                source[op.permutation().get(axis)] = index[axis];
            }
            return e.operand(0).at(source);
        });
    }

    static Tensor slice(Evaluation e, Slice op) {
        return Tensor.generate(e.type(), index -> {
            long[] source = index.clone();
            for (int axis = 0; axis < index.length; axis++) {
                source[axis] += op.starts().get(axis).value();
            }
            return e.operand(0).at(source);
        });
    }

    static Tensor pad(Evaluation e, Pad op) {
        return Tensor.generate(e.type(), index -> {
            long[] source = index.clone();
            for (int axis = 0; axis < index.length; axis++) {
                source[axis] -= op.low().get(axis).value();
            }
            return e.operand(0).contains(source) ? e.operand(0).at(source) : op.value();
        });
    }

    static Tensor concat(Evaluation e, Concat op) {
        return Tensor.generate(e.type(), index -> {
            long[] source = index.clone();
            int part = 0;
            while (source[op.axis()] >= e.operand(part).extent(op.axis())) {
                source[op.axis()] -= e.operand(part).extent(op.axis());
                part++;
            }
            return e.operand(part).at(source);
        });
    }

    static Tensor embedding(Evaluation e) {
        return Tensor.generate(e.type(), index -> {
            long[] position = Arrays.copyOf(index, index.length - 1);
            return e.operand(0).at((long) e.operand(1).at(position), index[index.length - 1]);
        });
    }

    static Tensor embeddingGradient(Evaluation e) {
        Tensor table = Tensor.zeros(e.type());
        Tensor dy = e.operand(0);
        Tensor.forEachIndex(dy.type().shape(), index -> {
            long[] position = Arrays.copyOf(index, index.length - 1);
            table.add(dy.at(index), (long) e.operand(1).at(position), index[index.length - 1]);
        });
        return e.operands().size() == 3
                ? Tensor.generate(e.type(), i -> e.operand(2).at(i) + table.at(i))
                : table;
    }

    static Tensor gather(Evaluation e, Gather op) {
        return Tensor.generate(e.type(), index -> e.operand(0).at(redirect(index, op.axis(), e.operand(1))));
    }

    static Tensor scatterAdd(Evaluation e, ScatterAdd op) {
        Tensor sums = Tensor.zeros(e.type());
        Tensor dy = e.operand(0);
        Tensor.forEachIndex(
                dy.type().shape(), index -> sums.add(dy.at(index), redirect(index, op.axis(), e.operand(1))));
        return sums;
    }

    private static long[] redirect(long[] index, int axis, Tensor indices) {
        long[] redirected = index.clone();
        redirected[axis] = (long) indices.at(index);
        return redirected;
    }

    /** That of the first rank. */
    static Tensor ownShare(Evaluation e, OwnShare op) {
        double[] share = new double[(int) e.type().elements()];
        int at = 0;
        for (Tensor tensor : e.operands()) {
            at = (int) op.first(at);
            int count = Math.min(tensor.data().length, Math.max(0, share.length - at));
            System.arraycopy(tensor.data(), 0, share, Math.min(at, share.length), count);
            at += tensor.data().length;
        }
        return new Tensor(e.type(), share);
    }

    /** As the first rank sees it, where all have sent the same. */
    static Tensor exchange(Evaluation e, Exchange op) {
        double[] sent = e.operand(0).data();
        double[] row = Arrays.copyOf(sent, (int) (e.type().elements() / op.ranks()));
        double[] rows = new double[row.length * op.ranks()];
        for (int rank = 0; rank < op.ranks(); rank++) {
            System.arraycopy(row, 0, rows, rank * row.length, row.length);
        }
        return new Tensor(e.type(), rows);
    }
}
