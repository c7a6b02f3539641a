package dev.remat.tests.gpu;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.tests.steps.TensorBytes;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * How near a result is to the one that was recorded.
 *
 * @param elements how many there are
 * @param different how many of them have other bits
 * @param relative norm of the difference over the norm of what was recorded; infinite where one of the two is not a
 *     number and the other is
 */
record Nearness(long elements, long different, double relative) {
    static final Nearness NONE = new Nearness(0, 0, 0);

    /** Roundings of single products and sums in f32 add up as a random walk does. */
    private static final double PER_ROOT_OF_TERMS = 2e-6;

    /** Of the same bits. */
    static Nearness ofEqual(TensorType type) {
        return new Nearness(type.elements(), 0, 0);
    }

    static Nearness of(TensorType type, MemorySegment recorded, MemorySegment found) {
        long size = type.dtype().bytes();
        double[] want = TensorBytes.decode(type, recorded, 0).data();
        double[] got = TensorBytes.decode(type, found, 0).data();
        long different = 0;
        for (int i = 0; i < want.length; i++) {
            long at = i * size;
            if (MemorySegment.mismatch(recorded, at, at + size, found, at, at + size) >= 0) {
                different++;
            }
        }
        return new Nearness(want.length, different, different == 0 ? 0 : relative(want, got));
    }

    static double relative(double[] want, double[] got) {
        return relative(want, got, 0);
    }

    /**
     * The norm of the difference over that of {@code want}; infinite where only one of two elements is a number.
     *
     * @param passed how many elements, those that are farthest off, do not count
     */
    static double relative(double[] want, double[] got, int passed) {
        double[] squares = new double[want.length];
        double norm = 0;
        for (int i = 0; i < want.length; i++) {
            norm += Double.isFinite(want[i]) ? want[i] * want[i] : 0;
            if (Double.compare(want[i], got[i]) != 0) {
                double difference = got[i] - want[i];
                squares[i] = Double.isFinite(difference) ? difference * difference : Double.POSITIVE_INFINITY;
            }
        }
        Arrays.sort(squares);
        double square = Arrays.stream(squares, 0, want.length - passed).sum();
        return square == 0 ? 0 : Math.sqrt(square) / Math.max(Math.sqrt(norm), Double.MIN_NORMAL);
    }

    /**
     * What tensor cores may be off by, which add in an order and with a rounding of their own.
     *
     * @param terms products that are added up to one element
     */
    static double bound(DType dtype, double terms) {
        double rounding = switch (dtype) {
            case BF16 -> 0x1p-8;
            case F16 -> 0x1p-11;
            case F32, F64, I32, I64, BOOL, BIT, SEED -> 0;
        };
        return PER_ROOT_OF_TERMS * Math.sqrt(terms) + rounding;
    }

    /** The same where a hash has told that bits differ. */
    Nearness withOtherBits() {
        return new Nearness(elements, Math.max(different, 1), relative);
    }

    boolean isEqual() {
        return different == 0;
    }
}
