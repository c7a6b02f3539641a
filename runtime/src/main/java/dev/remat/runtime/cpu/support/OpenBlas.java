package dev.remat.runtime.cpu.support;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.natives.NativeCall;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.CountDownLatch;

/** The matrix products of OpenBLAS, each call on the calling thread alone. */
public final class OpenBlas {
    private static final int ROW_MAJOR = 101;
    private static final int NO_TRANSPOSE = 111;
    private static final int TRANSPOSE = 112;

    private static final SymbolLookup LIBRARY = CpuLibraries.OPENBLAS.load().symbols();
    private static final MethodHandle DGEMM = link(
            "cblas_dgemm",
            FunctionDescriptor.ofVoid(
                    JAVA_INT,
                    JAVA_INT,
                    JAVA_INT,
                    JAVA_INT,
                    JAVA_INT,
                    JAVA_INT,
                    JAVA_DOUBLE,
                    JAVA_LONG,
                    JAVA_INT,
                    JAVA_LONG,
                    JAVA_INT,
                    JAVA_DOUBLE,
                    JAVA_LONG,
                    JAVA_INT));

    static {
        // Results must not depend on a thread count, so the tiling is ours and OpenBLAS's own threads stay off.
        MethodHandle setThreads = link("openblas_set_num_threads", FunctionDescriptor.ofVoid(JAVA_INT));
        NativeCall.of(() -> {
            setThreads.invokeExact(1);
            return null;
        });
    }

    private OpenBlas() {}

    /** C = A · B + beta · C in f64. */
    static void multiply(MemorySegment arena, MatrixRef a, MatrixRef b, int beta, MatrixRef c) {
        int left = op(a.transposed());
        int right = op(b.transposed());
        int m = c.rows();
        int n = c.columns();
        int k = a.columns();
        long fromA = arena.address() + a.at();
        long fromB = arena.address() + b.at();
        long to = arena.address() + c.at();
        int ldc = c.leading();
        NativeCall.of(() -> {
            DGEMM.invokeExact(
                    ROW_MAJOR,
                    left,
                    right,
                    m,
                    n,
                    k,
                    1d,
                    fromA,
                    a.leading(),
                    fromB,
                    b.leading(),
                    (double) beta,
                    to,
                    ldc);
            return null;
        });
    }

    /** The processors whose kernels OpenBLAS has chosen, such as {@code Haswell}; rounding depends on it. */
    public static String coreName() {
        MethodHandle name = link("openblas_get_corename", FunctionDescriptor.of(JAVA_LONG));
        long found = NativeCall.of(() -> (long) name.invokeExact());
        return MemorySegment.ofAddress(found).reinterpret(1024).getString(0);
    }

    /**
     * Makes every thread of the pool multiply, so that OpenBLAS allocates its buffers now and never again. The product
     * is wide, since in a buffer in which none of 384 columns or more has run, narrower ones take up to 3.5 times as
     * long (of f32, OpenBLAS 0.3.31 on Zen); bits are the same.
     */
    public static void claimBuffers(WorkerPool pool) {
        int rows = 64;
        int columns = 1024;
        int depth = 512;
        long bytes = ((long) rows * depth + (long) depth * columns + (long) rows * columns) * Double.BYTES;
        CountDownLatch together = new CountDownLatch(pool.threads());
        try (Arena arena = Arena.ofShared()) {
            MemorySegment matrices = arena.allocate(bytes * pool.threads(), 64);
            pool.run(pool.threads(), (task, scratch) -> {
                MatrixRef a = MatrixRef.dense(bytes * task, rows, depth);
                MatrixRef b = MatrixRef.dense(a.at() + (long) rows * depth * Double.BYTES, depth, columns);
                MatrixRef c = MatrixRef.dense(b.at() + (long) depth * columns * Double.BYTES, rows, columns);
                together.countDown();
                awaitAll(together);
                for (int i = 0; i < 4; i++) {
                    multiply(matrices, a, b, 0, c);
                }
            });
        }
    }

    private static void awaitAll(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static int op(boolean transpose) {
        return transpose ? TRANSPOSE : NO_TRANSPOSE;
    }

    private static MethodHandle link(String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(LIBRARY.find(name).orElseThrow(), descriptor);
    }
}
