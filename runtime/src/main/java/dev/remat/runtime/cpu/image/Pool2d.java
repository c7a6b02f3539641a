package dev.remat.runtime.cpu.image;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.AvgPool2dGradient;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.PoolWindow;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.kernel.CpuKernel;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Shapes;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.Function;

/**
 * Maximum or mean over windows of images, and the gradients; each image of each channel is a task's own.
 *
 * @param planes images times channels
 * @param height rows of the input, likewise {@code width}
 * @param outputHeight rows of the result, likewise {@code outputWidth}
 * @param windows whose dilation is 1 for means
 * @param countPadding whether a mean divides by the whole window, padding included
 */
public record Pool2d(
        DType type,
        int planes,
        int height,
        int width,
        int outputHeight,
        int outputWidth,
        PoolWindow windows,
        boolean countPadding) {

    /** Bits of what stands for an element that say where it is. */
    private static final long PLACES = (1L << 29) - 1;

    private static final long INFINITY = Double.doubleToRawLongBits(Double.POSITIVE_INFINITY);

    /** Takes one element of windows {@code first} to {@code end}, that of window w at {@code from + w·stride}. */
    @FunctionalInterface
    private interface Tap {
        void take(int first, int end, int from);
    }

    /** Computes one plane: {@code large} is as the input is, {@code small} as the result. */
    @FunctionalInterface
    private interface Plane {
        void compute(double[] large, double[] small, Scratch scratch);
    }

    public static CpuKernel of(MaxPool2d op) {
        return kernel(in -> of(op.window(), in.operandType(0), in.resultType(0), false), Pool2d::runMax);
    }

    public static CpuKernel of(AvgPool2d op) {
        return kernel(in -> of(op.window(), in.operandType(0), in.resultType(0), op.countPadding()), Pool2d::runMean);
    }

    public static CpuKernel of(AvgPool2dGradient op) {
        return kernel(
                in -> of(op.window(), in.resultType(0), in.operandType(0), op.countPadding()), Pool2d::runMeanGradient);
    }

    public static CpuKernel of(MaxPool2dGradient op) {
        return new CpuKernel(in -> {
            Pool2d pool = of(op.window(), in.operandType(1), in.operandType(0), false);
            long dy = in.dense(0);
            long x = in.dense(1);
            long dx = in.output();
            return frame -> pool.runMaxGradient(frame.pool(), frame.arena(), dy, x, dx);
        });
    }

    /** @param x the larger side, whichever is the operand; {@code y} the smaller one */
    private static Pool2d of(PoolWindow window, TensorType x, TensorType y, boolean countPadding) {
        Shapes.expectPlanes(window.layout());
        int[] large = Shapes.dims(x);
        int[] small = Shapes.dims(y);
        return new Pool2d(x.dtype(), large[0] * large[1], large[2], large[3], small[2], small[3], window, countPadding);
    }

    /** One of the kernels that read one tensor. */
    @FunctionalInterface
    private interface Pass {
        void run(Pool2d pool, WorkerPool workers, MemorySegment arena, long from, long to);
    }

    private static CpuKernel kernel(Function<Binding, Pool2d> pools, Pass pass) {
        return new CpuKernel(in -> {
            Pool2d pool = pools.apply(in);
            long from = in.dense(0);
            long to = in.output();
            return frame -> pass.run(pool, frame.pool(), frame.arena(), from, to);
        });
    }

    void runMax(WorkerPool pool, MemorySegment arena, long x, long y) {
        forward(pool, arena, x, y, (plane, small, scratch) -> {
            long[] order = order(plane, 0, scratch);
            for (int row = 0; row < outputHeight; row++) {
                long[] most = maxima(order, row);
                for (int column = 0; column < outputWidth; column++) {
                    boolean none = most[column] == Long.MIN_VALUE;
                    small[row * outputWidth + column] = none ? Double.NEGATIVE_INFINITY : plane[place(most[column])];
                }
            }
        });
    }

    /** The first maximum of each window in row-major order, or the first NaN, gets its gradient. */
    void runMaxGradient(WorkerPool pool, MemorySegment arena, long dy, long x, long dx) {
        backward(pool, arena, dy, x, dx, (plane, small, scratch) -> {
            long[] order = order(plane, height * width, scratch);
            for (int row = 0; row < outputHeight; row++) {
                long[] most = maxima(order, row);
                for (int column = 0; column < outputWidth; column++) {
                    if (most[column] != Long.MIN_VALUE) {
                        plane[place(most[column])] += small[row * outputWidth + column];
                    }
                }
            }
        });
    }

    private void runMean(WorkerPool pool, MemorySegment arena, long x, long y) {
        int stride = windows.strideW();
        forward(pool, arena, x, y, (plane, small, scratch) -> {
            Arrays.fill(small, 0, outputHeight * outputWidth, 0);
            for (int row = 0; row < outputHeight; row++) {
                int at = row * outputWidth;
                taps(row, (first, end, from) -> {
                    for (int column = first; column < end; column++) {
                        small[at + column] += plane[from + column * stride];
                    }
                });
                for (int column = 0; column < outputWidth; column++) {
                    small[at + column] /= divisor(row, column);
                }
            }
        });
    }

    private void runMeanGradient(WorkerPool pool, MemorySegment arena, long dy, long dx) {
        int stride = windows.strideW();
        backward(pool, arena, dy, Elements.NONE, dx, (plane, small, scratch) -> {
            for (int row = 0; row < outputHeight; row++) {
                int at = row * outputWidth;
                for (int column = 0; column < outputWidth; column++) {
                    small[at + column] /= divisor(row, column);
                }
                taps(row, (first, end, from) -> {
                    for (int column = first; column < end; column++) {
                        plane[from + column * stride] += small[at + column];
                    }
                });
            }
        });
    }

    private int divisor(int row, int column) {
        int top = row * windows.strideH() - windows.paddingH();
        int left = column * windows.strideW() - windows.paddingW();
        int rows = Math.min(height, top + windows.windowH()) - Math.max(0, top);
        int columns = Math.min(width, left + windows.windowW()) - Math.max(0, left);
        return countPadding ? windows.windowH() * windows.windowW() : Math.max(0, rows) * Math.max(0, columns);
    }

    /** Takes the elements of a row of windows, each of all that have it in the input. */
    private void taps(int row, Tap tap) {
        int stride = windows.strideW();
        for (int i = 0; i < windows.windowH(); i++) {
            int y = row * windows.strideH() - windows.paddingH() + i * windows.dilationH();
            for (int j = 0; j < windows.windowW() && y >= 0 && y < height; j++) {
                int x = j * windows.dilationW() - windows.paddingW();
                int first = x < 0 ? Math.ceilDiv(-x, stride) : 0;
                int end = Math.min(outputWidth, Math.ceilDiv(width - x, stride));
                tap.take(first, end, y * width + x);
            }
        }
    }

    /** The largest number of each window, of a row of them; {@link Long#MIN_VALUE} of one that lies in the padding. */
    private long[] maxima(long[] order, int row) {
        int stride = windows.strideW();
        long[] most = new long[outputWidth];
        Arrays.fill(most, Long.MIN_VALUE);
        taps(row, (first, end, from) -> {
            for (int column = first; column < end; column++) {
                most[column] = Math.max(most[column], order[from + column * stride]);
            }
        });
        return most;
    }

    /**
     * Numbers that are ordered as a plane's elements are, earlier ones first where these are equal, and NaN above all:
     * what is larger is found without a branch that no processor could foresee. They are the bits of doubles, in whose
     * last ones, which no narrower float has, is the place.
     */
    private long[] order(double[] plane, int from, Scratch scratch) {
        int area = height * width;
        long[] order = scratch.order(area);
        for (int i = from; i < from + area; i++) {
            // Both zeros are one.
            plane[i] += 0.0;
        }
        MemorySegment.copy(plane, from, MemorySegment.ofArray(order), JAVA_DOUBLE, 0, area);
        for (int i = 0; i < area; i++) {
            long bits = order[i];
            long nan = INFINITY - (bits & Long.MAX_VALUE) >> 63;
            bits = bits & ~nan | Long.MAX_VALUE & nan;
            order[i] = bits ^ bits >> 63 & Long.MAX_VALUE;
        }
        if (type == DType.F64) {
            long[] distinct = Arrays.stream(order, 0, area).sorted().distinct().toArray();
            for (int i = 0; i < area; i++) {
                order[i] = (Arrays.binarySearch(distinct, order[i]) + 1L) * (PLACES + 1);
            }
        }
        for (int i = 0; i < area; i++) {
            order[i] = (order[i] & ~PLACES) + (PLACES - i);
        }
        return order;
    }

    private static int place(long ordered) {
        return (int) (PLACES - (ordered & PLACES));
    }

    private void forward(WorkerPool pool, MemorySegment arena, long x, long y, Plane kernel) {
        int area = height * width;
        int outputs = outputHeight * outputWidth;
        pool.run(planes, (plane, scratch) -> {
            double[] values = scratch.accumulators(area + outputs);
            double[] small = scratch.small(outputs);
            load(arena, x + (long) plane * area * type.bytes(), values, 0, area, scratch);
            kernel.compute(values, small, scratch);
            store(arena, y + (long) plane * outputs * type.bytes(), small, outputs, scratch);
        });
    }

    private void backward(WorkerPool pool, MemorySegment arena, long dy, long x, long dx, Plane kernel) {
        int area = height * width;
        int outputs = outputHeight * outputWidth;
        pool.run(planes, (plane, scratch) -> {
            double[] values = scratch.accumulators(2 * area);
            double[] small = scratch.small(outputs);
            Arrays.fill(values, 0, area, 0);
            if (x != Elements.NONE) {
                load(arena, x + (long) plane * area * type.bytes(), values, area, area, scratch);
            }
            load(arena, dy + (long) plane * outputs * type.bytes(), small, 0, outputs, scratch);
            kernel.compute(values, small, scratch);
            store(arena, dx + (long) plane * area * type.bytes(), values, area, scratch);
        });
    }

    private void load(MemorySegment arena, long from, double[] to, int start, int count, Scratch scratch) {
        for (int at = 0; at < count; at += Scratch.CHUNK) {
            int n = Math.min(Scratch.CHUNK, count - at);
            Elements.load(arena, type, from + (long) at * type.bytes(), to, start + at, n, scratch);
        }
    }

    private void store(MemorySegment arena, long to, double[] from, int count, Scratch scratch) {
        for (int at = 0; at < count; at += Scratch.CHUNK) {
            int n = Math.min(Scratch.CHUNK, count - at);
            Elements.store(arena, type, to + (long) at * type.bytes(), from, at, n, scratch);
        }
    }
}
