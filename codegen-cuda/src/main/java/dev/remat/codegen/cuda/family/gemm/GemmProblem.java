package dev.remat.codegen.cuda.family.gemm;

import dev.remat.ir.DType;

/**
 * A matrix product as tiles see it: {@code c[m][n] = Σ a[m][k]·b[k][n]} for each batch. Convolutions are such products
 * too.
 *
 * @param dtype of the operands
 * @param batches products of equal extents
 */
public record GemmProblem(DType dtype, long batches, long m, long n, long k) {
    public GemmProblem {
        if (!dtype.isFloat()) {
            throw new IllegalArgumentException("no product of " + dtype.label());
        }
        for (long extent : new long[] {batches, m, n, k}) {
            if (extent < 1 || extent > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("kernels multiply no matrices of extent " + extent
                        + ": extents go from 1 to " + Integer.MAX_VALUE + "; split the tensor or its batch");
            }
        }
    }

    /** The same sums with rows for columns. */
    public GemmProblem transposed() {
        return new GemmProblem(dtype, batches, n, m, k);
    }

    /** Bytes of the results as sums, before they are rounded. */
    long sumBytes() {
        return Math.multiplyExact(
                Math.multiplyExact(batches, Math.multiplyExact(m, n)),
                dtype.accumulator().bytes());
    }
}
