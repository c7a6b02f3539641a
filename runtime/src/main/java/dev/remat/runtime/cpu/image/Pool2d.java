package dev.remat.runtime.cpu.image;

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

    /** The window of one output position, cut to the input: rows and columns from inclusive to exclusive. */
    private record Window(int top, int bottom, int left, int right) {
        int area() {
            return Math.max(0, bottom - top) * Math.max(0, right - left);
        }
    }

    /** Visits one output position. */
    @FunctionalInterface
    private interface Visitor {
        void visit(Window window, double[] plane, double[] small, int at);
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

    private void runMax(WorkerPool pool, MemorySegment arena, long x, long y) {
        int dilationH = windows.dilationH();
        int dilationW = windows.dilationW();
        forward(pool, arena, x, y, (window, plane, small, at) -> {
            double max = Double.NEGATIVE_INFINITY;
            for (int row = window.top; row < window.bottom; row += dilationH) {
                for (int column = window.left; column < window.right; column += dilationW) {
                    max = Math.max(max, plane[row * width + column]);
                }
            }
            small[at] = max;
        });
    }

    private void runMean(WorkerPool pool, MemorySegment arena, long x, long y) {
        forward(pool, arena, x, y, (window, plane, small, at) -> {
            double sum = 0;
            for (int row = window.top; row < window.bottom; row++) {
                for (int column = window.left; column < window.right; column++) {
                    sum += plane[row * width + column];
                }
            }
            small[at] = sum / divisor(window);
        });
    }

    /** The first maximum of each window in row-major order, or the first NaN, gets its gradient. */
    private void runMaxGradient(WorkerPool pool, MemorySegment arena, long dy, long x, long dx) {
        int area = height * width;
        int dilationH = windows.dilationH();
        int dilationW = windows.dilationW();
        backward(pool, arena, dy, x, dx, (window, plane, small, at) -> {
            if (window.area() == 0) {
                return;
            }
            int best = window.top * width + window.left;
            for (int row = window.top; row < window.bottom; row += dilationH) {
                for (int column = window.left; column < window.right; column += dilationW) {
                    double value = plane[area + row * width + column];
                    double most = plane[area + best];
                    if (value > most || Double.isNaN(value) && !Double.isNaN(most)) {
                        best = row * width + column;
                    }
                }
            }
            plane[best] += small[at];
        });
    }

    private void runMeanGradient(WorkerPool pool, MemorySegment arena, long dy, long dx) {
        backward(pool, arena, dy, Elements.NONE, dx, (window, plane, small, at) -> {
            double share = small[at] / divisor(window);
            for (int row = window.top; row < window.bottom; row++) {
                for (int column = window.left; column < window.right; column++) {
                    plane[row * width + column] += share;
                }
            }
        });
    }

    private int divisor(Window window) {
        return countPadding ? windows.windowH() * windows.windowW() : window.area();
    }

    private void forward(WorkerPool pool, MemorySegment arena, long x, long y, Visitor visitor) {
        int area = height * width;
        int outputs = outputHeight * outputWidth;
        pool.run(planes, (plane, scratch) -> {
            double[] values = scratch.accumulators(area + outputs);
            double[] small = scratch.small(outputs);
            load(arena, x + (long) plane * area * type.bytes(), values, 0, area, scratch);
            visit(visitor, values, small);
            store(arena, y + (long) plane * outputs * type.bytes(), small, outputs, scratch);
        });
    }

    private void backward(WorkerPool pool, MemorySegment arena, long dy, long x, long dx, Visitor visitor) {
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
            visit(visitor, values, small);
            store(arena, dx + (long) plane * area * type.bytes(), values, area, scratch);
        });
    }

    private void visit(Visitor visitor, double[] plane, double[] small) {
        for (int row = 0; row < outputHeight; row++) {
            int top = row * windows.strideH() - windows.paddingH();
            for (int column = 0; column < outputWidth; column++) {
                int left = column * windows.strideW() - windows.paddingW();
                visitor.visit(
                        new Window(
                                first(top, windows.dilationH()),
                                Math.min(height, top + windows.dilationH() * (windows.windowH() - 1) + 1),
                                first(left, windows.dilationW()),
                                Math.min(width, left + windows.dilationW() * (windows.windowW() - 1) + 1)),
                        plane,
                        small,
                        row * outputWidth + column);
            }
        }
    }

    /** The first place from {@code begin} on, in steps of {@code dilation}, that is not in the padding in front. */
    private static int first(int begin, int dilation) {
        return begin < 0 ? begin + Math.ceilDiv(-begin, dilation) * dilation : begin;
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
