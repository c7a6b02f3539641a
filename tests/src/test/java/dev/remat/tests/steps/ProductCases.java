package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.Conv2dWeightGradient;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Reduce;
import dev.remat.tests.reference.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Matrix products and convolutions that fill tiles of any size and leave remainders along every axis. */
public final class ProductCases {
    private static final double SCALE = 10;

    private ProductCases() {}

    /** All layouts, aligned rows and odd ones, sums long enough to be split, batches, single rows and columns. */
    public static List<OpCase> matrices(DType dtype) {
        Random random = new Random(8);
        List<OpCase> cases = new ArrayList<>();
        long[][] shapes = {{1, 136, 264, 72}, {2, 131, 69, 45}, {1, 3, 5, 900}, {3, 1, 40, 7}, {1, 65, 1, 1}};
        for (int i = 0; i < shapes.length; i++) {
            for (int layout = 0; layout < (i < 2 ? 4 : 1); layout++) {
                cases.add(product(random, dtype, layout + i & 3, shapes[i]));
            }
        }
        return cases;
    }

    /** Of small whole numbers, whose sums are exact: results are exact and rounded once, also where sums are split. */
    public static List<OpCase> exact(DType dtype) {
        Random random = new Random(10);
        List<OpCase> cases = new ArrayList<>();
        for (int layout = 0; layout < 4; layout++) {
            MatMul op = new MatMul((layout & 1) != 0, (layout & 2) != 0);
            long[] a = op.transposeA() ? new long[] {1, 72, 136} : new long[] {1, 136, 72};
            long[] b = op.transposeB() ? new long[] {1, 264, 72} : new long[] {1, 72, 264};
            cases.add(OpCase.of(op, List.of(whole(random, dtype, a), whole(random, dtype, b)), dtype, 0));
        }
        Tensor a = whole(random, dtype, 1, 3, 900);
        Tensor b = whole(random, dtype, 1, 5, 900);
        cases.add(OpCase.of(new MatMul(false, true), List.of(a, b), dtype, 0));
        cases.add(OpCase.of(new MatMul(false, true, true), List.of(a, b), dtype, 0));
        List<Tensor> rows = List.of(whole(random, dtype, 900, 136), whole(random, dtype, 900, 72));
        cases.add(OpCase.of(new MatMul(true, false, true), rows, dtype, 0));
        ConvGeometry same = new ConvGeometry(1, 1, 1, 1, 1, 1, 1);
        Tensor x = whole(random, dtype, 2, 16, 9, 16);
        cases.add(OpCase.of(new Conv2d(same), List.of(x, whole(random, dtype, 72, 16, 3, 3)), dtype, 0));
        Tensor dy = whole(random, dtype, 2, 72, 9, 16);
        cases.add(OpCase.of(new Conv2dWeightGradient(same, Dim.of(3), Dim.of(3), true), List.of(x, dy), dtype, 0));
        ConvGeometry depthwise = new ConvGeometry(1, 1, 1, 1, 1, 1, 16);
        cases.add(OpCase.of(
                new Conv2dWeightGradient(depthwise, Dim.of(3), Dim.of(3), true),
                List.of(x, whole(random, dtype, 2, 16, 9, 16)),
                dtype,
                0));
        Tensor tall = whole(random, dtype, 3000, 40);
        cases.add(OpCase.of(new Reduce(Reduce.Kind.SUM, List.of(0), true), List.of(tall), dtype, 0));
        cases.add(OpCase.of(new Reduce(Reduce.Kind.SUM, List.of(0, 1), true), List.of(tall), dtype, 0));
        return cases;
    }

    private static Tensor whole(Random random, DType dtype, long... extents) {
        Tensor tensor = Tensor.zeros(TensorType.of(dtype, extents));
        Arrays.setAll(tensor.data(), i -> random.nextInt(-9, 10));
        return tensor;
    }

    private static OpCase product(Random random, DType dtype, int layout, long... shape) {
        MatMul op = new MatMul((layout & 1) != 0, (layout & 2) != 0);
        long batch = shape[0];
        long m = shape[1];
        long n = shape[2];
        long k = shape[3];
        Tensor a = op.transposeA()
                ? OpCases.random(random, dtype, batch, k, m)
                : OpCases.random(random, dtype, batch, m, k);
        Tensor b = op.transposeB()
                ? OpCases.random(random, dtype, batch, n, k)
                : OpCases.random(random, dtype, batch, k, n);
        return OpCase.of(op, List.of(a, b), dtype, SCALE);
    }

    /** Forward, transposed and weight gradient: strides, padding, dilation, groups and pointwise kernels. */
    public static List<OpCase> convolutions(DType dtype) {
        Random random = new Random(9);
        List<OpCase> cases = new ArrayList<>();
        ConvGeometry same = new ConvGeometry(1, 1, 1, 1, 1, 1, 1);
        addAll(random, dtype, same, new long[] {2, 16, 9, 16}, new long[] {72, 16, 3, 3}, cases);
        ConvGeometry irregular = new ConvGeometry(2, 1, 2, 0, 1, 2, 2);
        addAll(random, dtype, irregular, new long[] {3, 10, 11, 13}, new long[] {14, 5, 3, 2}, cases);
        ConvGeometry pointwise = new ConvGeometry(1, 1, 0, 0, 1, 1, 1);
        addAll(random, dtype, pointwise, new long[] {2, 24, 8, 8}, new long[] {40, 24, 1, 1}, cases);
        return cases;
    }

    private static void addAll(
            Random random, DType dtype, ConvGeometry geometry, long[] input, long[] kernels, List<OpCase> cases) {
        Tensor x = OpCases.random(random, dtype, input);
        Tensor w = OpCases.random(random, dtype, kernels);
        TensorType y = new Conv2d(geometry).infer(List.of(x.type(), w.type())).getFirst();
        Tensor dy = OpCases.random(random, dtype, y.shape().toArray());
        cases.add(OpCase.of(new Conv2d(geometry), List.of(x, w), dtype, SCALE));
        cases.add(OpCase.of(
                new ConvTranspose2d(geometry, x.type().dim(2), x.type().dim(3)), List.of(dy, w), dtype, SCALE));
        cases.add(OpCase.of(
                new Conv2dWeightGradient(geometry, w.type().dim(2), w.type().dim(3)), List.of(x, dy), dtype, SCALE));
    }
}
