package dev.remat.runtime.cpu;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.PoolWindow;
import dev.remat.ir.op.Sort;
import dev.remat.runtime.cpu.attention.AttentionShape;
import dev.remat.runtime.cpu.conv.ConvShape;
import dev.remat.runtime.cpu.gemm.Gemm;
import dev.remat.runtime.cpu.image.Pool2d;
import dev.remat.runtime.cpu.index.EmbeddingRows;
import dev.remat.runtime.cpu.index.GatherKernel;
import dev.remat.runtime.cpu.row.CrossEntropyKernel;
import dev.remat.runtime.cpu.row.CtcKernel;
import dev.remat.runtime.cpu.row.SoftmaxKernel;
import dev.remat.runtime.cpu.row.SortKernel;
import java.util.Arrays;
import java.util.List;

/** What the kernels want to know of operations, out of their types. */
final class Shapes {
    private Shapes() {}

    static int[] dims(TensorType type) {
        return Arrays.stream(type.shape().toArray()).mapToInt(Math::toIntExact).toArray();
    }

    static int elements(TensorType type) {
        return Math.toIntExact(type.elements());
    }

    /** Product of the extents from axis {@code from} to {@code to}, exclusive. */
    static int product(TensorType type, int from, int to) {
        int[] dims = dims(type);
        int product = 1;
        for (int axis = from; axis < to; axis++) {
            product = Math.multiplyExact(product, dims[axis]);
        }
        return product;
    }

    static boolean[] flags(int rank, List<Integer> axes) {
        boolean[] flags = new boolean[rank];
        axes.forEach(axis -> flags[axis] = true);
        return flags;
    }

    static Gemm gemm(MatMul op, TensorType a, TensorType b, TensorType c) {
        int rank = a.rank();
        int m = product(c, rank - 2, rank - 1);
        int n = product(c, rank - 1, rank);
        int k = product(a, op.transposeA() ? rank - 2 : rank - 1, op.transposeA() ? rank - 1 : rank);
        int batch = product(a, 0, rank - 2);
        if (b.rank() < rank) {
            return Gemm.dense(a.dtype(), Math.multiplyExact(batch, m), n, k, false, op.transposeB())
                    .to(c.dtype());
        }
        return Gemm.dense(a.dtype(), batch, m, n, k, op.transposeA(), op.transposeB())
                .to(c.dtype());
    }

    /** Plans for this target lay no images out in another way. */
    private static void expectPlanes(ImageLayout layout) {
        if (layout != ImageLayout.NCHW) {
            throw new IllegalStateException("kernels of the CPU take images as planes, not " + layout);
        }
    }

    /** {@code x} is the large side and {@code y} the small one, whichever is the operand. */
    static ConvShape conv(ConvGeometry geometry, TensorType x, TensorType weights, TensorType y) {
        expectPlanes(geometry.layout());
        int[] large = dims(x);
        int[] small = dims(y);
        int[] filter = dims(weights);
        return new ConvShape(
                x.dtype(),
                large[0],
                large[1],
                large[2],
                large[3],
                small[1],
                small[2],
                small[3],
                filter[2],
                filter[3],
                geometry.strideH(),
                geometry.strideW(),
                geometry.paddingH(),
                geometry.paddingW(),
                geometry.dilationH(),
                geometry.dilationW(),
                geometry.groups());
    }

    /** @param inputs queries, keys, values and what else attention reads */
    static AttentionShape attention(Attention op, List<TensorType> inputs) {
        int[] queries = dims(inputs.get(0));
        int[] keys = dims(inputs.get(1));
        return new AttentionShape(
                inputs.getFirst().dtype(),
                queries[0],
                queries[1],
                keys[1],
                queries[2],
                keys[2],
                queries[3],
                dims(inputs.get(2))[3],
                op.scale(),
                op.causal());
    }

    static Pool2d pool(PoolWindow window, TensorType x, TensorType y, boolean countPadding) {
        expectPlanes(window.layout());
        int[] large = dims(x);
        int[] small = dims(y);
        return new Pool2d(
                x.dtype(),
                large[0] * large[1],
                large[2],
                large[3],
                small[2],
                small[3],
                window.windowH(),
                window.windowW(),
                window.strideH(),
                window.strideW(),
                window.paddingH(),
                window.paddingW(),
                window.dilationH(),
                window.dilationW(),
                countPadding);
    }

    /** @param rows dtype of what is picked, or of what its gradient adds up */
    static EmbeddingRows embedding(TensorType table, DType rows, TensorType ids) {
        return new EmbeddingRows(
                table.dtype(), rows, ids.dtype(), product(table, 0, 1), product(table, 1, 2), elements(ids));
    }

    static GatherKernel gather(int axis, DType type, TensorType indices, int extent) {
        return new GatherKernel(
                type,
                indices.dtype(),
                product(indices, 0, axis),
                extent,
                product(indices, axis, axis + 1),
                product(indices, axis + 1, indices.rank()));
    }

    static SoftmaxKernel softmax(TensorType type, boolean logarithm) {
        int columns = product(type, type.rank() - 1, type.rank());
        return new SoftmaxKernel(type.dtype(), elements(type) / columns, columns, logarithm);
    }

    static SortKernel sort(TensorType x, Sort op) {
        int rank = x.rank();
        return new SortKernel(x.dtype(), product(x, 0, rank - 1), product(x, rank - 1, rank), op.descending());
    }

    static CrossEntropyKernel crossEntropy(TensorType logits, TensorType targets, CrossEntropy op) {
        return new CrossEntropyKernel(
                logits.dtype(),
                targets.dtype(),
                product(logits, 0, 1),
                product(logits, 1, 2),
                op.labelSmoothing(),
                op.ignoreIndex(),
                op.perRow());
    }

    static CtcKernel ctc(TensorType frames, TensorType targets, CtcLoss op) {
        return new CtcKernel(
                frames.dtype(),
                targets.dtype(),
                product(frames, 0, 1),
                product(frames, 1, 2),
                product(frames, 2, 3),
                product(targets, 1, 2),
                Math.toIntExact(op.blank()),
                op.zeroInfinity());
    }
}
