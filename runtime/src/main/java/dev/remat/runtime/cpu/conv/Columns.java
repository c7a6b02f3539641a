package dev.remat.runtime.cpu.conv;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.remat.ir.DType;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Lays out what the taps of a convolution read as the rows of a matrix, one row for each channel and tap, one column
 * for each output position (Chellapilla et al., 2006), and adds such a matrix back into images. Everything is staged
 * through a zero-padded plane in a Java array.
 */
record Columns(ConvShape shape, MemorySegment arena, Scratch scratch) {

    private ConvGeometry geometry() {
        return shape.geometry();
    }

    private int paddedWidth() {
        return shape.width() + 2 * geometry().paddingW();
    }

    private int paddedArea() {
        return (shape.height() + 2 * geometry().paddingH()) * paddedWidth();
    }

    /**
     * Fills rows for {@code channels} channels and columns for output rows {@code from} to {@code from + rows}.
     *
     * @param x byte of the first channel's plane, in the shape's dtype
     * @param to byte of the matrix, in its wide dtype, {@code rows · outputWidth} columns
     */
    void gather(long x, int channels, int from, int rows, long to) {
        int count = rows * shape.outputWidth();
        int bytes = shape.wide().bytes();
        for (int channel = 0; channel < channels; channel++) {
            long plane = x + (long) channel * shape.area() * shape.type().bytes();
            if (shape.type() == DType.F64) {
                gatherDoubles(plane, from, rows, to + (long) channel * shape.taps() * count * bytes);
                continue;
            }
            float[] padded = scratch.plane(paddedArea());
            float[] row = scratch.row(count);
            int top = Math.max(0, from * geometry().strideH() - geometry().paddingH());
            int bottom = Math.min(
                    shape.height(),
                    (from + rows - 1) * geometry().strideH()
                            - geometry().paddingH()
                            + (shape.filterH() - 1) * geometry().dilationH()
                            + 1);
            pad(plane, padded, top, bottom);
            for (int tap = 0; tap < shape.taps(); tap++) {
                int first = tap / shape.filterW() * geometry().dilationH() * paddedWidth()
                        + tap % shape.filterW() * geometry().dilationW();
                for (int i = 0; i < rows; i++) {
                    int at = first + (from + i) * geometry().strideH() * paddedWidth();
                    if (geometry().strideW() == 1) {
                        System.arraycopy(padded, at, row, i * shape.outputWidth(), shape.outputWidth());
                    } else {
                        pick(padded, at, geometry().strideW(), row, i * shape.outputWidth(), shape.outputWidth());
                    }
                }
                MemorySegment.copy(
                        row, 0, arena, JAVA_FLOAT, to + ((long) channel * shape.taps() + tap) * count * 4, count);
            }
        }
    }

    /**
     * Adds a matrix over all output positions back into the planes of {@code channels} channels, which it overwrites.
     */
    void scatter(long from, int channels, long x) {
        int count = shape.positions();
        for (int channel = 0; channel < channels; channel++) {
            long plane = x + (long) channel * shape.area() * shape.type().bytes();
            if (shape.type() == DType.F64) {
                scatterDoubles(from + (long) channel * shape.taps() * count * 8, plane);
                continue;
            }
            float[] padded = scratch.plane(paddedArea());
            float[] row = scratch.row(count);
            Arrays.fill(padded, 0, paddedArea(), 0);
            for (int tap = 0; tap < shape.taps(); tap++) {
                MemorySegment.copy(
                        arena, JAVA_FLOAT, from + ((long) channel * shape.taps() + tap) * count * 4, row, 0, count);
                int first = tap / shape.filterW() * geometry().dilationH() * paddedWidth()
                        + tap % shape.filterW() * geometry().dilationW();
                for (int i = 0; i < shape.outputHeight(); i++) {
                    int at = first + i * geometry().strideH() * paddedWidth();
                    if (geometry().strideW() == 1) {
                        add(row, i * shape.outputWidth(), padded, at, shape.outputWidth());
                    } else {
                        addApart(
                                row,
                                i * shape.outputWidth(),
                                padded,
                                at,
                                geometry().strideW(),
                                shape.outputWidth());
                    }
                }
            }
            for (int i = 0; i < shape.height(); i++) {
                int at =
                        (i + geometry().paddingH()) * paddedWidth() + geometry().paddingW();
                long to = plane + (long) i * shape.width() * shape.type().bytes();
                for (int done = 0; done < shape.width(); done += Scratch.CHUNK) {
                    int n = Math.min(Scratch.CHUNK, shape.width() - done);
                    Elements.store(
                            arena,
                            shape.type(),
                            to + (long) done * shape.type().bytes(),
                            padded,
                            at + done,
                            n,
                            scratch);
                }
            }
        }
    }

    private void pad(long plane, float[] padded, int top, int bottom) {
        int wide = paddedWidth();
        if (geometry().paddingH() > 0 || geometry().paddingW() > 0) {
            Arrays.fill(padded, 0, paddedArea(), 0);
        }
        for (int row = top; row < bottom; row++) {
            long from = plane + (long) row * shape.width() * shape.type().bytes();
            int to = (row + geometry().paddingH()) * wide + geometry().paddingW();
            for (int done = 0; done < shape.width(); done += Scratch.CHUNK) {
                int n = Math.min(Scratch.CHUNK, shape.width() - done);
                Elements.load(
                        arena, shape.type(), from + (long) done * shape.type().bytes(), padded, to + done, n, scratch);
            }
        }
    }

    private static void pick(float[] from, int at, int stride, float[] to, int start, int n) {
        for (int i = 0; i < n; i++) {
            to[start + i] = from[at + i * stride];
        }
    }

    private static void add(float[] from, int start, float[] to, int at, int n) {
        for (int i = 0; i < n; i++) {
            to[at + i] += from[start + i];
        }
    }

    private static void addApart(float[] from, int start, float[] to, int at, int stride, int n) {
        for (int i = 0; i < n; i++) {
            to[at + i * stride] += from[start + i];
        }
    }

    private void gatherDoubles(long plane, int from, int rows, long to) {
        for (int tap = 0; tap < shape.taps(); tap++) {
            for (int i = 0; i < rows * shape.outputWidth(); i++) {
                long at = ((long) tap * rows * shape.outputWidth() + i) * 8;
                int position = from * shape.outputWidth() + i;
                int source = source(tap, position);
                arena.set(JAVA_DOUBLE, to + at, source < 0 ? 0 : arena.get(JAVA_DOUBLE, plane + source * 8L));
            }
        }
    }

    private void scatterDoubles(long from, long plane) {
        arena.asSlice(plane, shape.area() * 8L).fill((byte) 0);
        for (int tap = 0; tap < shape.taps(); tap++) {
            for (int i = 0; i < shape.positions(); i++) {
                int source = source(tap, i);
                if (source >= 0) {
                    double sum = arena.get(JAVA_DOUBLE, plane + source * 8L)
                            + arena.get(JAVA_DOUBLE, from + ((long) tap * shape.positions() + i) * 8);
                    arena.set(JAVA_DOUBLE, plane + source * 8L, sum);
                }
            }
        }
    }

    /** Which element of a plane a tap reads for an output position, −1 in the padding. */
    private int source(int tap, int position) {
        int row = position / shape.outputWidth() * geometry().strideH()
                - geometry().paddingH()
                + tap / shape.filterW() * geometry().dilationH();
        int column = position % shape.outputWidth() * geometry().strideW()
                - geometry().paddingW()
                + tap % shape.filterW() * geometry().dilationW();
        boolean inside = row >= 0 && row < shape.height() && column >= 0 && column < shape.width();
        return inside ? row * shape.width() + column : -1;
    }
}
