package dev.remat.compiler.layout;

import dev.remat.ir.Alignment;
import dev.remat.ir.plan.BufferLifetime;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Buffers in flat arrays, with steps renumbered so that only those at which a buffer comes or goes are left. */
public final class Intervals {
    final int[] lower;
    final int[] upper;
    public final long[] size;
    final long[] alignment;
    /** Number of steps after renumbering. */
    final int steps;

    private Intervals(int[] lower, int[] upper, long[] size, long[] alignment, int steps) {
        this.lower = lower;
        this.upper = upper;
        this.size = size;
        this.alignment = alignment;
        this.steps = steps;
    }

    /** Sizes are rounded up to their alignment. */
    public static Intervals of(List<BufferLifetime> buffers) {
        return of(
                buffers, buffers.stream().mapToLong(BufferLifetime::alignedSize).toArray());
    }

    /** Sizes are as they are, so that what needs no alignment may lie close to what does. */
    static Intervals unrounded(List<BufferLifetime> buffers) {
        return of(buffers, buffers.stream().mapToLong(BufferLifetime::size).toArray());
    }

    private static Intervals of(List<BufferLifetime> buffers, long[] size) {
        int[] lower = buffers.stream().mapToInt(BufferLifetime::lower).toArray();
        int[] upper = buffers.stream().mapToInt(BufferLifetime::upper).toArray();
        long[] alignment = buffers.stream().mapToLong(BufferLifetime::alignment).toArray();
        return of(lower, upper, size, alignment);
    }

    private static Intervals of(int[] first, int[] end, long[] size, long[] alignment) {
        int[] distinct = IntStream.concat(Arrays.stream(first), Arrays.stream(end))
                .sorted()
                .distinct()
                .toArray();
        int[] lower = Arrays.stream(first)
                .map(at -> Arrays.binarySearch(distinct, at))
                .toArray();
        int[] upper =
                Arrays.stream(end).map(at -> Arrays.binarySearch(distinct, at)).toArray();
        return new Intervals(lower, upper, size, alignment, Math.max(1, distinct.length - 1));
    }

    int count() {
        return size.length;
    }

    /** Some of the buffers, with steps renumbered again. */
    Intervals only(int[] buffers) {
        return of(
                Arrays.stream(buffers).map(b -> lower[b]).toArray(),
                Arrays.stream(buffers).map(b -> upper[b]).toArray(),
                Arrays.stream(buffers).mapToLong(b -> size[b]).toArray(),
                Arrays.stream(buffers).mapToLong(b -> alignment[b]).toArray());
    }

    /** The same in units up to which sizes are rounded, and without alignments. */
    Intervals inUnits(long unit) {
        long[] units =
                Arrays.stream(size).map(bytes -> Math.ceilDiv(bytes, unit)).toArray();
        long[] none = new long[units.length];
        Arrays.fill(none, 1);
        return new Intervals(lower, upper, units, none, steps);
    }

    int length(int buffer) {
        return upper[buffer] - lower[buffer];
    }

    /** Largest sum of sizes that are live together. */
    public long largestLiveSum() {
        long[] change = new long[steps + 1];
        for (int i = 0; i < size.length; i++) {
            change[lower[i]] = Math.addExact(change[lower[i]], size[i]);
            change[upper[i]] = Math.subtractExact(change[upper[i]], size[i]);
        }
        long sum = 0;
        long largest = 0;
        for (long c : change) {
            sum = Math.addExact(sum, c);
            largest = Math.max(largest, sum);
        }
        return largest;
    }

    /** The squares of how many are live at a step, less those that live from first to last, summed over the steps. */
    long squaresOfCounts() {
        long[] change = new long[steps + 1];
        for (int i = 0; i < size.length; i++) {
            if (length(i) < steps) {
                change[lower[i]]++;
                change[upper[i]]--;
            }
        }
        long live = 0;
        long sum = 0;
        for (long c : change) {
            live += c;
            sum += live * live;
        }
        return sum;
    }

    /** Height of the arena in which buffers lie at these offsets. */
    public long height(long[] offsets) {
        long height = 0;
        for (int i = 0; i < size.length; i++) {
            height = Math.max(height, offsets[i] + size[i]);
        }
        return height;
    }

    /** The first multiple of a buffer's alignment from {@code offset} on. */
    long aligned(long offset, int buffer) {
        return Alignment.up(offset, alignment[buffer]);
    }
}
