package dev.remat.runtime.cpu.conv;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.MatrixRef;
import dev.remat.runtime.cpu.support.PartialSums;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Widening;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;

/**
 * Gradient of a convolution by its filters: dy · columnsᵀ, summed over images. The images fall into fixed parts whose
 * sums are added in order, so that the bits do not depend on the number of threads.
 *
 * @param result dtype of the sums: the shape's or its wide one
 */
public record ConvWeightGradient(ConvShape shape, DType result) {
    private static final int MOST_PARTS = 8;
    /** All parts' sums together stay below this where one does: 16 MiB of f32. */
    private static final long PART_ELEMENTS = 4L << 20;

    private int parts() {
        long affordable = Math.max(1, PART_ELEMENTS / shape.weights());
        return (int) Math.min(Math.min(shape.n(), MOST_PARTS), affordable);
    }

    private int taskChannels() {
        long perChannel = (long) shape.taps() * shape.positions();
        return (int) Math.max(1, Math.min(shape.groupChannels(), Conv.COLUMN_ELEMENTS / perChannel));
    }

    private boolean direct() {
        return shape.isPointwise() && !shape.sixteenBit();
    }

    private int tasks() {
        int blocks = direct() ? 1 : Math.ceilDiv(shape.groupChannels(), taskChannels());
        return parts() * shape.groups() * blocks;
    }

    private long columnBytes() {
        long elements = direct() ? 0 : (long) taskChannels() * shape.taps() * shape.positions();
        elements += shape.sixteenBit() ? (long) shape.groupFilters() * shape.positions() : 0;
        return Alignment.up(elements * shape.wide().bytes(), Alignment.CACHE_LINE);
    }

    private long sumBytes() {
        long buffers = shape.sixteenBit() ? parts() : parts() - 1;
        return Alignment.up(buffers * shape.weights() * shape.wide().bytes(), Alignment.CACHE_LINE);
    }

    /** Bytes of workspace for a pool of {@code slots} threads. */
    public long workspaceBytes(int slots) {
        return sumBytes() + WorkerPool.shares(slots, tasks()) * columnBytes();
    }

    /** Offsets are bytes. */
    public void run(WorkerPool pool, MemorySegment arena, long x, long dy, long dweights, long workspace) {
        int parts = parts();
        int channelsAtOnce = direct() ? shape.groupChannels() : taskChannels();
        int blocks = Math.ceilDiv(shape.groupChannels(), channelsAtOnce);
        int depth = shape.groupChannels() * shape.taps();
        int positions = shape.positions();
        int bytes = shape.type().bytes();
        int wideBytes = shape.wide().bytes();
        pool.run(tasks(), (task, scratch) -> {
            int part = task % parts;
            int block = task / parts % blocks;
            int group = task / parts / blocks;
            int first = block * channelsAtOnce;
            int channels = Math.min(channelsAtOnce, shape.groupChannels() - first);
            long columns = workspace + sumBytes() + pool.share(tasks(), task, scratch) * columnBytes();
            long sums = (shape.sixteenBit()
                            ? workspace + part * shape.weights() * wideBytes
                            : part == 0 ? dweights : workspace + (part - 1) * shape.weights() * wideBytes)
                    + (shape.weightsAt(group) + (long) first * shape.taps()) * wideBytes;
            int begin = (int) ((long) shape.n() * part / parts);
            int end = (int) ((long) shape.n() * (part + 1) / parts);
            for (int image = begin; image < end; image++) {
                long gradient = dy + shape.outputAt(image, group) * bytes;
                long matrix = x + shape.inputAt(image, group, first) * bytes;
                if (!direct()) {
                    new Columns(shape, arena, scratch).gather(matrix, channels, 0, shape.outputHeight(), columns);
                    matrix = columns;
                }
                if (shape.sixteenBit()) {
                    long wide = columns + (long) channels * shape.taps() * positions * 4;
                    Widening.widen(arena, shape.type(), gradient, wide, shape.groupFilters() * positions, scratch);
                    gradient = wide;
                }
                MatrixRef slopes = new MatrixRef(gradient, shape.groupFilters(), positions, positions);
                MatrixRef columnRows = new MatrixRef(matrix, channels * shape.taps(), positions, positions);
                MatrixRef sum = new MatrixRef(sums, shape.groupFilters(), channels * shape.taps(), depth);
                scratch.products.multiply(
                        shape.wide(), arena, slopes, columnRows.transpose(), image == begin ? 0 : 1, sum);
            }
        });
        join(pool, arena, dweights, workspace);
    }

    private void join(WorkerPool pool, MemorySegment arena, long dweights, long workspace) {
        int parts = parts();
        long weights = shape.weights();
        if (parts == 1 && !shape.sixteenBit()) {
            return;
        }
        int wideBytes = shape.wide().bytes();
        long step = weights * wideBytes;
        boolean rounds = shape.sixteenBit();
        long sums = rounds ? workspace : dweights;
        PartialSums others = new PartialSums(shape.wide(), rounds ? workspace + step : workspace, step, parts - 1);
        pool.run(Math.toIntExact(Math.ceilDiv(weights, (long) Scratch.CHUNK)), (task, scratch) -> {
            long at = (long) task * Scratch.CHUNK;
            int count = (int) Math.min(Scratch.CHUNK, weights - at);
            others.addTo(arena, sums, at, count, scratch);
            if (rounds) {
                long to = dweights + at * result.bytes();
                Widening.narrow(arena, result, sums + at * wideBytes, to, count, scratch);
            }
        });
    }
}
