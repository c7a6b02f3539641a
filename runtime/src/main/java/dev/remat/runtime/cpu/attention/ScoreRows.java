package dev.remat.runtime.cpu.attention;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Scratch;
import java.lang.foreign.MemorySegment;

/** Up to {@link Scratch#CHUNK} numbers at hand in the arithmetic dtype; ranges end before {@code end}. */
sealed interface ScoreRows permits FloatScores, DoubleScores {
    static ScoreRows of(DType wide, Scratch scratch) {
        return wide == DType.F64
                ? new DoubleScores(scratch.doubles2, scratch)
                : new FloatScores(scratch.floats2, scratch);
    }

    /** Others beside these. */
    static ScoreRows second(DType wide, Scratch scratch) {
        return wide == DType.F64
                ? new DoubleScores(scratch.doubles3, scratch)
                : new FloatScores(scratch.row(Scratch.CHUNK), scratch);
    }

    /** Takes a run of any floating dtype. */
    void load(MemorySegment arena, DType type, long offset, int n);

    void store(MemorySegment arena, DType type, long offset, int n);

    void scale(double factor, int n);

    void add(int at, double term);

    void fill(int from, int end, double value);

    /** At least {@code least}. */
    double max(int from, int end, double least);

    void subtract(int from, int end, double shift);

    /** e to the power of each, in place. */
    void exponentials(int n);

    /** Of other numbers; e to the power of −∞ may be a little more than 0. */
    void exponentialsOf(double[] powers, int n);

    double sum(int from, int end);

    /** Each becomes p · (itself − delta) · factor; {@code probabilities} are of the same kind. */
    void slopes(ScoreRows probabilities, int from, int end, double delta, double factor);
}
