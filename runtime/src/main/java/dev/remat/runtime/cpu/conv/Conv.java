package dev.remat.runtime.cpu.conv;

import dev.remat.ir.Alignment;
import dev.remat.runtime.cpu.support.MatrixRef;
import dev.remat.runtime.cpu.support.Widening;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Convolution and its adjoint by the input as matrix products over columns that fit the second-level cache. What a
 * task computes is a function of the shape alone.
 */
public record Conv(ConvShape shape) {
    /** Wanted size of one task's columns in elements: a quarter MiB of f32. */
    static final int COLUMN_ELEMENTS = 64 << 10;

    private int taskRows() {
        long perRow = (long) shape.groupChannels() * shape.taps() * shape.outputWidth();
        return (int) Math.max(1, Math.min(shape.outputHeight(), COLUMN_ELEMENTS / perRow));
    }

    private int taskChannels() {
        long perChannel = (long) shape.taps() * shape.positions();
        return (int) Math.max(1, Math.min(shape.groupChannels(), COLUMN_ELEMENTS / perChannel));
    }

    private int tasks() {
        return shape.n() * shape.groups() * Math.ceilDiv(shape.outputHeight(), taskRows());
    }

    private int transposedTasks() {
        return shape.n() * shape.groups() * Math.ceilDiv(shape.groupChannels(), taskChannels());
    }

    /** Bytes of workspace of {@link #run} for a pool of {@code slots} threads. */
    public long workspaceBytes(int slots) {
        long positions = (long) taskRows() * shape.outputWidth();
        long columns = shape.isPointwise() && !shape.sixteenBit()
                ? 0
                : (long) shape.groupChannels() * shape.taps() * positions;
        long sums = shape.sixteenBit() ? shape.groupFilters() * positions : 0;
        return wideWeights() + WorkerPool.shares(slots, tasks()) * slotBytes(columns + sums);
    }

    /** Bytes of workspace of {@link #runTransposed} for a pool of {@code slots} threads. */
    public long transposedWorkspaceBytes(int slots) {
        long positions = shape.positions();
        boolean direct = shape.isPointwise() && !shape.sixteenBit();
        long columns = direct ? 0 : (long) taskChannels() * shape.taps() * positions;
        long gradient = shape.sixteenBit() ? shape.groupFilters() * positions : 0;
        return wideWeights() + WorkerPool.shares(slots, transposedTasks()) * slotBytes(columns + gradient);
    }

    private long slotBytes(long elements) {
        return Alignment.up(elements * shape.wide().bytes(), Alignment.CACHE_LINE);
    }

    private long wideWeights() {
        return shape.sixteenBit() ? Alignment.up(shape.weights() * 4, Alignment.CACHE_LINE) : 0;
    }

    /** y = x convolved with the filters; offsets are bytes. */
    public void run(WorkerPool pool, MemorySegment arena, long x, long weights, long y, long workspace) {
        long filters = widenWeights(pool, arena, weights, workspace);
        int rowsAtOnce = taskRows();
        int blocks = Math.ceilDiv(shape.outputHeight(), rowsAtOnce);
        int depth = shape.groupChannels() * shape.taps();
        long slot = workspaceBytes(1) - wideWeights();
        int bytes = shape.type().bytes();
        pool.run(tasks(), (task, scratch) -> {
            int block = task % blocks;
            int group = task / blocks % shape.groups();
            int image = task / blocks / shape.groups();
            int first = block * rowsAtOnce;
            int rows = Math.min(rowsAtOnce, shape.outputHeight() - first);
            int positions = rows * shape.outputWidth();
            long input = x + shape.inputAt(image, group, 0) * bytes;
            long output = y + (shape.outputAt(image, group) + (long) first * shape.outputWidth()) * bytes;
            long columns = workspace + wideWeights() + pool.share(tasks(), task, scratch) * slot;
            long matrix = columns;
            int columnStride = positions;
            if (shape.isPointwise() && !shape.sixteenBit()) {
                matrix = input + (long) first * shape.outputWidth() * bytes;
                columnStride = shape.positions();
            } else {
                new Columns(shape, arena, scratch).gather(input, shape.groupChannels(), first, rows, columns);
            }
            boolean rounds = shape.sixteenBit();
            long sums = rounds ? columns + (long) depth * positions * 4 : output;
            scratch.products.multiply(
                    shape.wide(),
                    arena,
                    MatrixRef.dense(
                            filters + shape.weightsAt(group) * shape.wide().bytes(), shape.groupFilters(), depth),
                    new MatrixRef(matrix, depth, positions, columnStride),
                    0,
                    new MatrixRef(sums, shape.groupFilters(), positions, rounds ? positions : shape.positions()));
            for (int filter = 0; rounds && filter < shape.groupFilters(); filter++) {
                Widening.narrow(
                        arena,
                        shape.type(),
                        sums + (long) filter * positions * 4,
                        output + (long) filter * shape.positions() * bytes,
                        positions,
                        scratch);
            }
        });
    }

    /** x = the adjoint of the convolution applied to y, which is its gradient by the input; offsets are bytes. */
    public void runTransposed(WorkerPool pool, MemorySegment arena, long y, long weights, long x, long workspace) {
        long filters = widenWeights(pool, arena, weights, workspace);
        int channelsAtOnce = taskChannels();
        int blocks = Math.ceilDiv(shape.groupChannels(), channelsAtOnce);
        int depth = shape.groupChannels() * shape.taps();
        int positions = shape.positions();
        long slot = transposedWorkspaceBytes(1) - wideWeights();
        int bytes = shape.type().bytes();
        pool.run(transposedTasks(), (task, scratch) -> {
            int block = task % blocks;
            int group = task / blocks % shape.groups();
            int image = task / blocks / shape.groups();
            int first = block * channelsAtOnce;
            int channels = Math.min(channelsAtOnce, shape.groupChannels() - first);
            long columns = workspace + wideWeights() + pool.share(transposedTasks(), task, scratch) * slot;
            long input = x + shape.inputAt(image, group, first) * bytes;
            long gradient = y + shape.outputAt(image, group) * bytes;
            if (shape.sixteenBit()) {
                long wide = columns + (long) channels * shape.taps() * positions * 4;
                Widening.widen(arena, shape.type(), gradient, wide, shape.groupFilters() * positions, scratch);
                gradient = wide;
            }
            long group0 = filters
                    + (shape.weightsAt(group) + (long) first * shape.taps())
                            * shape.wide().bytes();
            boolean direct = shape.isPointwise() && !shape.sixteenBit();
            scratch.products.multiply(
                    shape.wide(),
                    arena,
                    new MatrixRef(group0, shape.groupFilters(), channels * shape.taps(), depth).transpose(),
                    MatrixRef.dense(gradient, shape.groupFilters(), positions),
                    0,
                    MatrixRef.dense(direct ? input : columns, channels * shape.taps(), positions));
            if (!direct) {
                new Columns(shape, arena, scratch).scatter(columns, channels, input);
            }
        });
    }

    private long widenWeights(WorkerPool pool, MemorySegment arena, long weights, long workspace) {
        if (!shape.sixteenBit()) {
            return weights;
        }
        int depth = shape.groupChannels() * shape.taps();
        pool.run(
                shape.filters(),
                (filter, scratch) -> Widening.widen(
                        arena,
                        shape.type(),
                        weights + (long) filter * depth * 2,
                        workspace + (long) filter * depth * 4,
                        depth,
                        scratch));
        return workspace;
    }
}
