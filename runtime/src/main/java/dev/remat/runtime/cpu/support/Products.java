package dev.remat.runtime.cpu.support;

import dev.remat.ir.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * The matrix products of one thread: of f32 by oneDNN, whose kernels take small and narrow tiles at nearly the rate of
 * large ones, of f64, which it has none of, by OpenBLAS.
 */
public final class Products implements AutoCloseable {
    private static final long PAGE = 4096;
    /** Elements: rows as far apart as a multiple of this take each other's places in caches. */
    private static final int CONFLICTING_STRIDE = 1024;

    /** Elements that are copied at most, and those between copied rows. */
    private static final long MOST_COPIED = 1 << 18;

    private static final int BESIDE = 16;

    private final Map<OneDnnProduct.Shape, OneDnnProduct> made = new HashMap<>();
    private final Arena arguments = Arena.ofShared();
    /** What a product copies its factors to. */
    private final Growing scratch = new Growing();
    /** Rows that would conflict, closer to each other. */
    private final Growing copies = new Growing();

    /** Memory with any content, as large as was ever asked for. */
    private static final class Growing {
        private Arena owner = Arena.ofShared();
        private MemorySegment memory = MemorySegment.NULL;

        MemorySegment atLeast(long bytes) {
            if (bytes > memory.byteSize()) {
                owner.close();
                owner = Arena.ofShared();
                memory = owner.allocate(bytes, PAGE);
            }
            return memory;
        }
    }

    /** C = A · B + beta · C in f64 or else f32. */
    public void multiply(DType wide, MemorySegment arena, MatrixRef a, MatrixRef b, int beta, MatrixRef c) {
        if (wide == DType.F64) {
            OpenBlas.multiply(arena, a, b, beta, c);
            return;
        }
        boolean conflicts = conflicts(a);
        OneDnnProduct.Shape shape = new OneDnnProduct.Shape(
                c.rows(),
                c.columns(),
                a.columns(),
                conflicts ? a.columns() + BESIDE : a.leading(),
                a.transposed(),
                b.leading(),
                b.transposed(),
                c.leading(),
                beta != 0);
        OneDnnProduct product = made.computeIfAbsent(shape, this::make);
        long base = arena.address();
        long left = conflicts ? closer(arena, a) : base + a.at();
        product.run(left, base + b.at(), base + c.at(), scratch.memory.address());
    }

    /** Whether its rows are worth a copy: oneDNN copies those of a transposed matrix itself. */
    private static boolean conflicts(MatrixRef a) {
        return !a.transposed() && a.leading() % CONFLICTING_STRIDE == 0 && (long) a.rows() * a.columns() <= MOST_COPIED;
    }

    /** Copies the rows of a matrix, and returns the address of the first. */
    private long closer(MemorySegment arena, MatrixRef a) {
        long row = (long) a.columns() * Float.BYTES;
        long stride = row + BESIDE * Float.BYTES;
        MemorySegment close = copies.atLeast(a.rows() * stride);
        for (int i = 0; i < a.rows(); i++) {
            long from = a.at() + (long) i * a.leading() * Float.BYTES;
            MemorySegment.copy(arena, from, close, i * stride, row);
        }
        return close.address();
    }

    private OneDnnProduct make(OneDnnProduct.Shape shape) {
        OneDnnProduct product = new OneDnnProduct(shape, arguments);
        scratch.atLeast(product.scratchBytes());
        return product;
    }

    @Override
    public void close() {
        made.values().forEach(OneDnnProduct::close);
        made.clear();
        arguments.close();
        scratch.owner.close();
        copies.owner.close();
    }
}
