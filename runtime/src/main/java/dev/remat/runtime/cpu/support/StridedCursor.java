package dev.remat.runtime.cpu.support;

/** Walks over the positions of nested loops, one stretch of the innermost loop after another. Belongs to one thread. */
public final class StridedCursor {
    private static final int MOST_LOOPS = 16;

    private final int[] at = new int[MOST_LOOPS];
    private int[] dims = {};
    private long[] strides = {};
    private long bytes;
    private long offset;

    /** Stands at position {@code start}; {@code bytes} is the size of an element. */
    public StridedCursor start(TensorView tensor, long elementBytes, long start) {
        dims = tensor.dims();
        strides = tensor.strides();
        bytes = elementBytes;
        offset = tensor.offset();
        long rest = start;
        for (int d = dims.length - 1; d >= 0; d--) {
            at[d] = (int) (rest % dims[d]);
            rest /= dims[d];
            offset += at[d] * strides[d] * elementBytes;
        }
        return this;
    }

    /** How many positions the innermost loop still has, at most {@code most}. */
    public int run(int most) {
        return Math.min(dims[dims.length - 1] - at[dims.length - 1], most);
    }

    /** How many innermost loops from here on are whole and follow each other in the loop around them; 1 at least. */
    public int rows(int most) {
        int last = dims.length - 1;
        if (last == 0 || at[last] != 0) {
            return 1;
        }
        return Math.max(1, Math.min(dims[last - 1] - at[last - 1], most / dims[last]));
    }

    /** Bytes from one of them to the next. */
    public long rowStep() {
        return dims.length == 1 ? 0 : strides[dims.length - 2] * bytes;
    }

    /** Goes on by what {@link #rows} allowed, where the innermost loop is as long as {@link #run} says. */
    public void advance(int rows, int run) {
        if (rows == 1) {
            advance(run);
            return;
        }
        int outer = dims.length - 2;
        at[outer] += rows;
        offset += rows * strides[outer] * bytes;
        carry(outer);
    }

    /** Byte of the present position. */
    public long offset() {
        return offset;
    }

    /** Elements from one position of the innermost loop to the next. */
    public long stride() {
        return strides[dims.length - 1];
    }

    /** Goes on by a stretch that {@link #run} allowed. */
    public void advance(int count) {
        int last = dims.length - 1;
        at[last] += count;
        offset += count * strides[last] * bytes;
        carry(last);
    }

    private void carry(int from) {
        for (int d = from; d > 0 && at[d] == dims[d]; d--) {
            offset -= at[d] * strides[d] * bytes;
            at[d] = 0;
            at[d - 1]++;
            offset += strides[d - 1] * bytes;
        }
    }
}
