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

    private final Map<OneDnnProduct.Shape, OneDnnProduct> made = new HashMap<>();
    private final Arena arguments = Arena.ofShared();
    private Arena owner = Arena.ofShared();
    /** What a product copies its factors to. */
    private MemorySegment scratch = MemorySegment.NULL;

    /** C = A · B + beta · C in f64 or else f32. */
    public void multiply(DType wide, MemorySegment arena, MatrixRef a, MatrixRef b, int beta, MatrixRef c) {
        if (wide == DType.F64) {
            OpenBlas.multiply(arena, a, b, beta, c);
            return;
        }
        OneDnnProduct.Shape shape = new OneDnnProduct.Shape(
                c.rows(),
                c.columns(),
                a.columns(),
                a.leading(),
                a.transposed(),
                b.leading(),
                b.transposed(),
                c.leading(),
                beta != 0);
        OneDnnProduct product = made.computeIfAbsent(shape, this::make);
        long base = arena.address();
        product.run(base + a.at(), base + b.at(), base + c.at(), scratch.address());
    }

    private OneDnnProduct make(OneDnnProduct.Shape shape) {
        OneDnnProduct product = new OneDnnProduct(shape, arguments);
        if (product.scratchBytes() > scratch.byteSize()) {
            owner.close();
            owner = Arena.ofShared();
            scratch = owner.allocate(product.scratchBytes(), PAGE);
        }
        return product;
    }

    @Override
    public void close() {
        made.values().forEach(OneDnnProduct::close);
        made.clear();
        arguments.close();
        owner.close();
    }
}
