package dev.remat.ir.artifact;

/** Blocks of a grid or threads of a block along three axes, each at least 1. */
public record Extent3(int x, int y, int z) {
    public Extent3 {
        if (x < 1 || y < 1 || z < 1) {
            throw new IllegalArgumentException("extents " + x + "x" + y + "x" + z + " are not all positive");
        }
    }

    public static Extent3 of(int x) {
        return new Extent3(x, 1, 1);
    }

    public static Extent3 of(int x, int y) {
        return new Extent3(x, y, 1);
    }

    /** Product of the three. */
    public long count() {
        return Math.multiplyExact(Math.multiplyExact((long) x, y), z);
    }

    /** {@code 128} or {@code 32x4} or {@code 8x8x2}. */
    @Override
    public String toString() {
        return z > 1 ? x + "x" + y + "x" + z : y > 1 ? x + "x" + y : String.valueOf(x);
    }
}
