package dev.remat.runtime.cpu.attention;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Sums;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** In f64. */
record DoubleScores(double[] values, Scratch scratch) implements ScoreRows {
    @Override
    public void load(MemorySegment arena, DType type, long offset, int n) {
        Elements.load(arena, type, offset, values, 0, n, scratch);
    }

    @Override
    public void store(MemorySegment arena, DType type, long offset, int n) {
        Elements.store(arena, type, offset, values, 0, n, scratch);
    }

    @Override
    public void scale(double factor, int n) {
        for (int i = 0; i < n; i++) {
            values[i] *= factor;
        }
    }

    @Override
    public void add(int at, double term) {
        values[at] += term;
    }

    @Override
    public void fill(int from, int end, double value) {
        Arrays.fill(values, from, end, value);
    }

    @Override
    public double max(int from, int end, double least) {
        double largest = least;
        for (int i = from; i < end; i++) {
            largest = Math.max(largest, values[i]);
        }
        return largest;
    }

    @Override
    public void subtract(int from, int end, double shift) {
        for (int i = from; i < end; i++) {
            values[i] -= shift;
        }
    }

    @Override
    public void exponentials(int n) {
        exponentialsOf(values, n);
    }

    @Override
    public void exponentialsOf(double[] powers, int n) {
        for (int i = 0; i < n; i++) {
            powers[i] = StrictMath.exp(powers[i]);
        }
    }

    @Override
    public double sum(int from, int end) {
        return Sums.of(values, from, end - from);
    }

    @Override
    public void slopes(ScoreRows probabilities, int from, int end, double delta, double factor) {
        double[] p = ((DoubleScores) probabilities).values;
        for (int i = from; i < end; i++) {
            values[i] = p[i] * (values[i] - delta) * factor;
        }
    }
}
