package dev.remat.runtime.cpu.support;

/** What one worker thread computes with: arrays between arena and arithmetic, allocated once, at loading. */
public final class Scratch implements AutoCloseable {
    /** Elements that a kernel stages at a time; small enough that several arrays stay in the first-level cache. */
    public static final int CHUNK = 1024;

    private final int slot;
    public final float[] floats = new float[CHUNK];
    public final float[] floats2 = new float[CHUNK];
    public final double[] doubles = new double[CHUNK];
    public final double[] doubles2 = new double[CHUNK];
    public final double[] doubles3 = new double[CHUNK];
    public final double[] doubles4 = new double[CHUNK];
    final short[] shorts = new short[CHUNK];
    public final StridedCursor cursor = new StridedCursor();
    public final Registers registers = new Registers();
    public final Products products = new Products();

    private double[] accumulators = new double[2 * CHUNK];
    private double[] small = new double[CHUNK];
    private long[] order = new long[CHUNK];
    private float[] plane = new float[CHUNK];
    private float[] row = new float[CHUNK];

    public Scratch(int slot) {
        this.slot = slot;
    }

    /** Which of the pool's threads this belongs to; selects a share of a kernel's workspace. */
    public int slot() {
        return slot;
    }

    /** At least {@code count} doubles with any content. */
    public double[] accumulators(int count) {
        if (accumulators.length < count) {
            accumulators = new double[count];
        }
        return accumulators;
    }

    /** Another array of at least {@code count} doubles with any content. */
    public double[] small(int count) {
        if (small.length < count) {
            small = new double[count];
        }
        return small;
    }

    /** At least {@code count} longs with any content. */
    public long[] order(int count) {
        if (order.length < count) {
            order = new long[count];
        }
        return order;
    }

    /** At least {@code count} floats with any content. */
    public float[] plane(int count) {
        if (plane.length < count) {
            plane = new float[count];
        }
        return plane;
    }

    /** Another array of at least {@code count} floats with any content. */
    public float[] row(int count) {
        if (row.length < count) {
            row = new float[count];
        }
        return row;
    }

    @Override
    public void close() {
        products.close();
    }
}
