package dev.remat.runtime.cpu.elementwise;

import dev.remat.ir.op.DrawnRows;
import dev.remat.runtime.cpu.support.RandomBits;

/**
 * Numbers in a larger tensor of the elements of one piece of it, as {@link DrawnRows} counts them.
 *
 * @param block elements of a run that lie in one piece
 * @param pieces how many there are
 * @param piece number of this one
 */
record WholeIndex(long block, int pieces, int piece) {
    static WholeIndex of(EltwiseProgram.Instruction instruction, RandomBits randomBits) {
        int piece = instruction.table().isEmpty()
                ? randomBits.microBatch()
                : instruction.table().getFirst().intValue() + randomBits.rank();
        return new WholeIndex((long) instruction.first(), (int) instruction.second(), piece);
    }

    /** Divides once a run, since neighbours mostly lie in the same. */
    void count(long[] index, long[] out, int n) {
        if (n > 0 && index[0] / block == index[n - 1] / block && areNeighbours(index, n)) {
            long shift = (index[0] / block * (pieces - 1) + piece) * block;
            for (int i = 0; i < n; i++) {
                out[i] = index[i] + shift;
            }
            return;
        }
        long from = 0;
        long to = 0;
        long shift = 0;
        for (int i = 0; i < n; i++) {
            if (index[i] < from || index[i] >= to) {
                long run = index[i] / block;
                from = run * block;
                to = from + block;
                shift = (run * (pieces - 1) + piece) * block;
            }
            out[i] = index[i] + shift;
        }
    }

    /** Whether each is one more than the one before. */
    static boolean areNeighbours(long[] index, int n) {
        long gaps = 0;
        for (int i = 1; i < n; i++) {
            gaps |= index[i] - index[i - 1] ^ 1;
        }
        return gaps == 0;
    }
}
