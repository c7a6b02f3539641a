package dev.remat.runtime.executor;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.PoolWindow;
import dev.remat.runtime.cpu.ConvShape;
import dev.remat.runtime.cpu.CrossEntropyKernel;
import dev.remat.runtime.cpu.EmbeddingRows;
import dev.remat.runtime.cpu.GatherKernel;
import dev.remat.runtime.cpu.Gemm;
import dev.remat.runtime.cpu.Pool2d;
import dev.remat.runtime.cpu.SoftmaxKernel;

/** Kernels by the types of operations: the executor runs them, the target asks them for their workspace. */
final class KernelShapes {
    private KernelShapes() {}

    static Gemm gemm(MatMul op, TensorType a, TensorType b) {
        int[] left = Extents.of(a.shape());
        int[] right = Extents.of(b.shape());
        int rank = left.length;
        int rows = left[rank - (op.transposeA() ? 1 : 2)];
        int inner = left[rank - (op.transposeA() ? 2 : 1)];
        int columns = right[right.length - (op.transposeB() ? 2 : 1)];
        int batch = Extents.product(left, 0, rank - 2);
        if (right.length < rank) {
            rows = Math.multiplyExact(rows, batch);
            batch = 1;
        }
        return Gemm.dense(a.dtype(), batch, rows, columns, inner, op.transposeA(), op.transposeB());
    }

    /** @param x the larger image, {@code y} what a convolution makes of it */
    static ConvShape conv(ConvGeometry g, TensorType x, TensorType y, Dim kernelH, Dim kernelW) {
        int[] in = Extents.of(x.shape());
        int[] out = Extents.of(y.shape());
        return new ConvShape(
                x.dtype(), in[0], in[1], in[2], in[3], out[1], out[2], out[3],
                Math.toIntExact(kernelH.value()), Math.toIntExact(kernelW.value()), g.strideH(), g.strideW(),
                g.paddingH(), g.paddingW(), g.dilationH(), g.dilationW(), g.groups());
    }

    static ConvShape conv(ConvGeometry g, TensorType x, TensorType y, TensorType weights) {
        return conv(g, x, y, weights.dim(2), weights.dim(3));
    }

    /** @param x the larger image, {@code y} what pooling makes of it */
    static Pool2d pool(PoolWindow w, TensorType x, TensorType y, boolean countPadding) {
        int[] in = Extents.of(x.shape());
        int[] out = Extents.of(y.shape());
        return new Pool2d(
                x.dtype(), Math.multiplyExact(in[0], in[1]), in[2], in[3], out[2], out[3], w.kernelH(), w.kernelW(),
                w.strideH(), w.strideW(), w.paddingH(), w.paddingW(), countPadding);
    }

    static SoftmaxKernel softmax(TensorType x, boolean logarithm) {
        int[] dims = Extents.of(x.shape());
        int columns = dims[dims.length - 1];
        return new SoftmaxKernel(x.dtype(), Math.toIntExact(x.elements() / columns), columns, logarithm);
    }

    static CrossEntropyKernel crossEntropy(TensorType logits, TensorType targets, double smoothing, long ignoreIndex) {
        int[] dims = Extents.of(logits.shape());
        return new CrossEntropyKernel(logits.dtype(), targets.dtype(), dims[0], dims[1], smoothing, ignoreIndex);
    }

    static EmbeddingRows embedding(TensorType table, TensorType ids) {
        int[] dims = Extents.of(table.shape());
        return new EmbeddingRows(table.dtype(), ids.dtype(), dims[0], dims[1], Math.toIntExact(ids.elements()));
    }

    /** @param source what is picked from */
    static GatherKernel gather(int axis, DType type, TensorType source, TensorType indices) {
        int[] from = Extents.of(source.shape());
        int[] picks = Extents.of(indices.shape());
        return new GatherKernel(
                type, indices.dtype(), Extents.product(from, 0, axis), from[axis], picks[axis],
                Extents.product(from, axis + 1, from.length));
    }
}
