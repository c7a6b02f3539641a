package dev.remat.runtime.cpu.elementwise;

import dev.remat.ir.DType;
import dev.remat.ir.op.Draw;
import dev.remat.runtime.cpu.support.FloatFunctions;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.Registers;

/**
 * Random numbers by the numbers of their elements, as {@link Draw} defines them.
 *
 * @param ordinal which random operation of the model draws
 */
record RandomDraws(RandomBits randomBits, int ordinal) {
    private static final double WORD = 0x1p-32;

    /** What becomes of the block of element i. */
    private interface Reader {
        void read(int i, int[] block, int lane);
    }

    void uniform(DType dtype, long[] index, float[] out, int n) {
        int bits = Draw.uniformBits(dtype);
        float unit = 1f / (1 << bits);
        forEach(index, n, (i, block, lane) -> out[i] = (block[lane] >>> 32 - bits) * unit);
    }

    void uniform(long[] index, double[] out, int n) {
        int bits = Draw.uniformBits(DType.F64);
        forEach(index, n, (i, block, lane) -> out[i] = (block[lane] >>> 32 - bits) * (1.0 / (1 << bits)));
    }

    void integers(long bound, long[] index, long[] out, int n) {
        forEach(index, n, (i, block, lane) -> out[i] = Integer.toUnsignedLong(block[lane]) * bound >>> 32);
    }

    /** A quarter turn makes the sine of a pair's second element a cosine. */
    void normal(long[] index, float[] out, int n, Registers registers) {
        FloatFunctions functions = registers.functions;
        double[] share = functions.x;
        long[] turns = functions.turns;
        forEach(index, n, (i, block, lane) -> {
            share[i] = (Integer.toUnsignedLong(block[lane & 2]) + 0.5) * WORD;
            turns[i] = Integer.toUnsignedLong(block[lane | 1]) - ((lane & 1L) << 30);
        });
        functions.boxMuller(out, n);
    }

    void normal(long[] index, double[] out, int n) {
        forEach(index, n, (i, block, lane) -> {
            double share = (Integer.toUnsignedLong(block[lane & 2]) + 0.5) * WORD;
            double angle = Integer.toUnsignedLong(block[lane | 1]) * (2 * Math.PI * WORD);
            double part = (lane & 1) == 0 ? StrictMath.cos(angle) : StrictMath.sin(angle);
            out[i] = Math.sqrt(-2 * StrictMath.log(share)) * part;
        });
    }

    private void forEach(long[] index, int n, Reader reader) {
        int[] block = new int[4];
        long drawn = -1;
        for (int i = 0; i < n; i++) {
            if (index[i] >> 2 != drawn) {
                drawn = index[i] >> 2;
                randomBits.block(drawn, ordinal, block);
            }
            reader.read(i, block, (int) (index[i] & 3));
        }
    }
}
