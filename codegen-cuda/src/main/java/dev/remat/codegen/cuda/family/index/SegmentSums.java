package dev.remat.codegen.cuda.family.index;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.move.Word;
import dev.remat.ir.DType;
import java.util.function.Function;

/**
 * Sums of rows that go to the same place, each in the order of the rows: a stable sort of the places by radix, then one
 * pass over the results.
 *
 * @param count rows that are summed, below 2³¹
 * @param places results, below 2³¹
 */
record SegmentSums(long count, long places) {
    private static final int THREADS = 256;
    private static final int DIGIT_BITS = 8;
    /** Every block reads the counts of all blocks, so they are few. */
    private static final int MOST_BLOCKS = 128;

    private static final int LEAST_PER_BLOCK = 1024;
    /** Rows that a thread has in flight. */
    private static final int UNROLL = 8;

    SegmentSums {
        if (!fits(count, places)) {
            throw new IllegalArgumentException(
                    "cannot sort " + count + " rows into " + places + " places: both must" + " be below 2^31");
        }
    }

    /** Whether the sort has room for both numbers. */
    static boolean fits(long count, long places) {
        return count < 1L << 31 && places < (1L << 31) - 1;
    }

    /** Passes that the sort makes over the rows. */
    int passes() {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(places);
        return Math.ceilDiv(bits, DIGIT_BITS);
    }

    int blocks() {
        return Math.clamp(Math.ceilDiv(count, (long) LEAST_PER_BLOCK), 1, MOST_BLOCKS);
    }

    private long perBlock() {
        return Math.ceilDiv(Math.ceilDiv(count, (long) blocks()), (long) THREADS) * THREADS;
    }

    private static long aligned(long bytes) {
        return bytes + 255 & -256;
    }

    private long listBytes() {
        return aligned(4 * count);
    }

    private long startsOffset() {
        return 4 * listBytes() + aligned(4L * MOST_BLOCKS << DIGIT_BITS);
    }

    long workspaceBytes() {
        return startsOffset() + aligned(4 * (places + 1));
    }

    private String list(KernelCall call, KernelStepBinding step, String type, int number) {
        return step.workspace(call, type, number * listBytes(), 4 * count);
    }

    private String counts(KernelCall call, KernelStepBinding step, String type) {
        return step.workspace(call, type, 4 * listBytes(), 4L * blocks() << DIGIT_BITS);
    }

    private String starts(KernelCall call, KernelStepBinding step, String type) {
        return step.workspace(call, type, startsOffset(), 4 * (places + 1));
    }

    /**
     * Launches everything.
     *
     * @param header resource with the type of the keys
     * @param keys declares what the places of the rows are read through; an expression with key and position
     * @param terms byte address of the rows, each {@code width} elements of {@code type}
     * @param sums byte address of the results
     */
    void launch(
            KernelStepBinding step,
            String header,
            Function<KernelCall, String> keys,
            DType type,
            long width,
            long terms,
            long sums) {
        for (int pass = 0; pass < passes(); pass++) {
            sort(pass, step, header, keys);
        }
        int last = passes() + 1 & 1;
        KernelCall find = new KernelCall("sort", "starts", "sort.cuh");
        String sorted = list(find, step, "const u32", 2 * last);
        String n = find.u32(count);
        String to = starts(find, step, "u32");
        find.body("find_starts(" + sorted + ", " + n + ", " + to + ", " + find.u32(places) + ");");
        step.launch(find.threads(THREADS).grid(Math.ceilDiv(places + 1, (long) THREADS)));

        int bytes = type.bytes();
        int vector = Math.min(Word.dividing(terms, sums, width * bytes).bytes() / bytes, 4);
        long groups = width / vector;
        long threads = Math.multiplyExact(places, groups);
        boolean narrow = threads < 1L << 31;
        KernelCall sum = new KernelCall("sort", "sum_" + type.label() + "_v" + vector, "sort.cuh");
        String arguments = sum.input(type, terms) + ", " + list(sum, step, "const u32", 2 * last + 1) + ", "
                + starts(sum, step, "const u32") + ", " + sum.output(type, sums) + ", "
                + (narrow ? sum.u32(threads) : sum.u64(threads)) + ", "
                + (narrow ? sum.u32(groups) : sum.u64(groups)) + ", "
                + sum.u64(narrow ? Divisor.magic(groups) : groups);
        sum.body("sum_rows<" + vector + ", " + UNROLL + ", " + CudaType.of(type) + ">(" + arguments + ");");
        step.launch(sum.threads(THREADS).grid(Math.ceilDiv(threads, (long) THREADS)));
    }

    private void sort(int pass, KernelStepBinding step, String header, Function<KernelCall, String> keys) {
        int from = pass + 1 & 1;
        int to = pass & 1;
        KernelCall count = new KernelCall("sort", "count", "sort.cuh");
        String source = source(pass, from, count, step, header, keys);
        count.body("count_digits(" + source + ", " + digits(pass, count) + ", " + counts(count, step, "u32") + ");");
        step.launch(count.threads(THREADS).grid(blocks()));
        KernelCall place = new KernelCall("sort", "place", "sort.cuh");
        source = source(pass, from, place, step, header, keys);
        place.body("place_digits(" + source + ", " + digits(pass, place) + ", " + counts(place, step, "const u32")
                + ", " + list(place, step, "u32", 2 * to) + ", " + list(place, step, "u32", 2 * to + 1) + ");");
        step.launch(place.threads(THREADS).grid(blocks()));
    }

    private String source(
            int pass,
            int from,
            KernelCall call,
            KernelStepBinding step,
            String header,
            Function<KernelCall, String> keys) {
        if (pass == 0) {
            call.header(header);
            return keys.apply(call);
        }
        return "Placed{" + list(call, step, "const u32", 2 * from) + ", " + list(call, step, "const u32", 2 * from + 1)
                + "}";
    }

    private String digits(int pass, KernelCall call) {
        return call.u32(count) + ", " + call.u32(perBlock()) + ", " + call.u32((long) pass * DIGIT_BITS);
    }
}
