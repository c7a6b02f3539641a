package dev.remat.runtime.cpu.support;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** oneDNN's product of two f32 matrices of one shape, for one thread. Addresses are absolute. */
final class OneDnnProduct implements AutoCloseable {
    private static final int ARGUMENTS = 4;

    /**
     * C = A · B, m×n, or that added to C.
     *
     * @param k columns of A
     * @param leftStride elements from one stored row of A to the next; likewise for B and C
     */
    record Shape(
            int m,
            int n,
            int k,
            int leftStride,
            boolean leftTransposed,
            int rightStride,
            boolean rightTransposed,
            int resultStride,
            boolean adds) {}

    private final long stream = OneDnn.newStream();
    private final long description;
    private final long primitive;
    private final long left;
    private final long right;
    private final long result;
    private final long scratch;
    private final MemorySegment arguments;

    /** To be made by the thread that runs it. */
    OneDnnProduct(Shape shape, Arena arena) {
        OneDnn.stayOnThisThread();
        long a = describe(shape.m, shape.k, shape.leftStride, shape.leftTransposed);
        long b = describe(shape.k, shape.n, shape.rightStride, shape.rightTransposed);
        long c = describe(shape.m, shape.n, shape.resultStride, false);
        description = OneDnn.product(a, b, c, shape.adds);
        primitive = OneDnn.primitive(description);
        left = OneDnn.memory(a);
        right = OneDnn.memory(b);
        result = OneDnn.memory(c);
        scratch = OneDnn.memory(OneDnn.query(description, OneDnn.QUERY_SCRATCHPAD));
        arguments = OneDnn.arguments(
                arena,
                OneDnn.ARG_SRC,
                left,
                OneDnn.ARG_WEIGHTS,
                right,
                OneDnn.ARG_DST,
                result,
                OneDnn.ARG_SCRATCHPAD,
                scratch);
        for (long matrix : new long[] {a, b, c}) {
            OneDnn.destroy("dnnl_memory_desc_destroy", matrix);
        }
    }

    private static long describe(int rows, int columns, int stride, boolean transposed) {
        return OneDnn.describeMatrix(rows, columns, transposed ? 1 : stride, transposed ? stride : 1);
    }

    long scratchBytes() {
        return OneDnn.sizeOf(OneDnn.query(description, OneDnn.QUERY_SCRATCHPAD));
    }

    void run(long a, long b, long c, long scratchpad) {
        OneDnn.point(left, a);
        OneDnn.point(right, b);
        OneDnn.point(result, c);
        OneDnn.point(scratch, scratchpad);
        OneDnn.execute(primitive, stream, ARGUMENTS, arguments);
    }

    @Override
    public void close() {
        for (long memory : new long[] {left, right, result, scratch}) {
            OneDnn.destroy("dnnl_memory_destroy", memory);
        }
        OneDnn.destroy("dnnl_primitive_destroy", primitive);
        OneDnn.destroy("dnnl_primitive_desc_destroy", description);
        OneDnn.destroy("dnnl_stream_destroy", stream);
    }
}
