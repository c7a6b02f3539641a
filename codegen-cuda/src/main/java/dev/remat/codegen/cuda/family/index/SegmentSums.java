package dev.remat.codegen.cuda.family.index;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.family.move.Word;
import dev.remat.ir.DType;
import java.util.function.Function;

/**
 * Sums of rows that go to the same place, each in the order of the rows: a stable sort of the places by radix, then one
 * pass over the results. Where a place gets many rows, as a frequent word does, whole pieces of them are summed first,
 * all at once: a piece is {@link #PIECE} rows of one place, counted from its first.
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
    /** Rows of a piece; {@code PIECE_ROWS} in the header. */
    private static final int PIECE = 64;
    /** Pieces that are worth a pass over the rows. */
    private static final int LEAST_PIECES = 4;

    /** Rows that a thread has in flight. */
    private static final int UNROLL = 8;

    private static final long NONE = -1;

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

    private long piecesOffset() {
        return startsOffset() + aligned(4 * (places + 1));
    }

    /** Pieces that the rows have room for; none where there are too few to be worth it. */
    private long pieces() {
        return count < LEAST_PIECES * PIECE ? 0 : count / PIECE;
    }

    private long pieceBytes(long width, DType type) {
        return pieces() * width * type.accumulator().bytes();
    }

    /**
     * @param width elements of a row
     * @param type of the rows
     */
    long workspaceBytes(long width, DType type) {
        return piecesOffset() + pieceBytes(width, type);
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
     * Launches everything that makes the step's result of its first operand, and adds it to the third if there is one.
     *
     * @param header resource with the type of the keys
     * @param keys declares what the places of the rows are read through; an expression with key and position
     * @param width elements of a row
     */
    void launch(KernelStepBinding step, String header, Function<KernelCall, String> keys, long width) {
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

        SortedRows rows = new SortedRows(step, width, last);
        if (pieces() > 0) {
            rows.sumPieces();
        }
        rows.sum();
    }

    /** Passes over rows whose order is known. */
    private final class SortedRows {
        private final KernelStepBinding step;
        private final DType type;
        private final DType result;
        private final long terms;
        private final long sums;
        /** What sums are added to. */
        private final long others;
        /** Number of the list that has the order. */
        private final int list;

        private final long width;
        private final int vector;

        SortedRows(KernelStepBinding step, long width, int list) {
            this.step = step;
            this.type = step.operandType(0).dtype();
            this.result = step.resultType(0).dtype();
            this.width = width;
            this.terms = step.dense(0);
            this.sums = step.resultAddress(0);
            this.others = step.operandTypes().size() == 3 ? step.dense(2) : NONE;
            this.list = list;
            int near = others == NONE ? neighbours(result, sums) : neighbours(result, sums | others);
            this.vector = Math.min(4, Math.min(neighbours(type, terms), near));
        }

        private int neighbours(DType type, long address) {
            return Word.dividing(address, width * type.bytes()).bytes() / type.bytes();
        }

        void sumPieces() {
            KernelCall call = call("pieces");
            String sorted = list(call, step, "const u32", 2 * list);
            String rows = rows(call);
            String to = partial(call, "");
            launch(call, "sum_pieces", pieces(), rows + ", " + sorted + ", " + to + ", " + call.u32(places));
        }

        void sum() {
            KernelCall call = call("sum");
            String rows = rows(call);
            String none = "static_cast<const " + CudaType.of(type.accumulator()) + "*>(nullptr)";
            String from = pieces() > 0 ? partial(call, "const ") : none;
            String onto = others == NONE ? none : call.input(result, others);
            launch(call, "sum_rows", places, rows + ", " + from + ", " + onto + ", " + call.output(result, sums));
        }

        private KernelCall call(String pass) {
            String types = type.label() + (result == type ? "" : "_" + result.label());
            return new KernelCall("sort", pass + "_" + types + "_v" + vector, "sort.cuh");
        }

        private String rows(KernelCall call) {
            return "SortedRows<" + CudaType.of(type) + ">{" + call.input(type, terms) + ", "
                    + list(call, step, "const u32", 2 * list + 1) + ", " + starts(call, step, "const u32") + "}";
        }

        private String partial(KernelCall call, String qualifier) {
            return step.workspace(
                    call, qualifier + CudaType.of(type.accumulator()), piecesOffset(), pieceBytes(width, type));
        }

        /** A thread for every {@code vector} neighbours of each of {@code results}. */
        private void launch(KernelCall call, String function, long results, String arguments) {
            long groups = width / vector;
            long threads = Math.multiplyExact(results, groups);
            boolean narrow = threads < 1L << 31;
            call.body(function + "<" + vector + ", " + UNROLL + ">(" + arguments + ", "
                    + call.index(narrow, threads) + ", "
                    + call.index(narrow, groups) + ", "
                    + call.divisor(narrow, groups) + ");");
            step.launch(call.threads(THREADS).grid(Math.ceilDiv(threads, (long) THREADS)));
        }
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
