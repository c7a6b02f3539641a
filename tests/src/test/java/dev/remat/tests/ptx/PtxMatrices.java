package dev.remat.tests.ptx;

/**
 * Products of fragments as the manual lays them out (PTX ISA, "Matrix Fragments for mma"): {@code a}, {@code b} and
 * {@code d} are [register][lane]. Each element's products are added exactly in double along k and rounded once.
 */
final class PtxMatrices {
    private PtxMatrices() {}

    /** {@code d += a·b} of 16×8 by k = 16 with two 16-bit numbers a register; a has four registers, b two. */
    static void multiply16(long[][] a, long[][] b, long[][] d, boolean isBf16) {
        double[][] left = new double[16][16];
        double[][] right = new double[16][8];
        for (int lane = 0; lane < 32; lane++) {
            int group = lane >> 2;
            int within = lane & 3;
            for (int half = 0; half < 2; half++) {
                for (int i = 0; i < 4; i++) {
                    // Registers 1 and 3 are eight rows below, 2 and 3 eight columns to the right.
                    left[group + 8 * (i & 1)][2 * within + half + 8 * (i >> 1)] = half(a[i][lane], half, isBf16);
                }
                for (int i = 0; i < 2; i++) {
                    right[2 * within + half + 8 * i][group] = half(b[i][lane], half, isBf16);
                }
            }
        }
        multiply(left, right, d);
    }

    /** {@code d += a·b} of 16×8 by k = 8 with a tf32 number a register, whose low 13 bits do not count. */
    static void multiplyTf32(long[][] a, long[][] b, long[][] d) {
        double[][] left = new double[16][8];
        double[][] right = new double[8][8];
        for (int lane = 0; lane < 32; lane++) {
            int group = lane >> 2;
            int within = lane & 3;
            for (int i = 0; i < 4; i++) {
                left[group + 8 * (i & 1)][within + 4 * (i >> 1)] = Float.intBitsToFloat((int) a[i][lane] & ~0x1fff);
            }
            for (int i = 0; i < 2; i++) {
                right[within + 4 * i][group] = Float.intBitsToFloat((int) b[i][lane] & ~0x1fff);
            }
        }
        multiply(left, right, d);
    }

    static double half(long register, int which, boolean isBf16) {
        int bits = (int) (register >> 16 * which) & 0xffff;
        return isBf16 ? Float.intBitsToFloat(bits << 16) : Float.float16ToFloat((short) bits);
    }

    private static void multiply(double[][] left, double[][] right, long[][] d) {
        for (int lane = 0; lane < 32; lane++) {
            for (int i = 0; i < 4; i++) {
                int row = (lane >> 2) + 8 * (i >> 1);
                int column = 2 * (lane & 3) + (i & 1);
                double sum = Float.intBitsToFloat((int) d[i][lane]);
                for (int k = 0; k < right.length; k++) {
                    sum += left[row][k] * right[k][column];
                }
                d[i][lane] = PtxConversions.bits((float) sum);
            }
        }
    }

    /** The registers that lanes get of eight rows of 16 bytes: two neighbours of a row, or of a column. */
    static long[] fragment(PtxMemory shared, long[] rows, boolean transposed) {
        long[] registers = new long[32];
        for (int lane = 0; lane < 32; lane++) {
            for (int half = 0; half < 2; half++) {
                int across = 2 * (lane & 3) + half;
                int row = transposed ? across : lane >> 2;
                int column = transposed ? lane >> 2 : across;
                registers[lane] |= shared.load(rows[row] + 2L * column, 2) << 16 * half;
            }
        }
        return registers;
    }
}
