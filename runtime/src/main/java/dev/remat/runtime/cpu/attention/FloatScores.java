package dev.remat.runtime.cpu.attention;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import dev.remat.runtime.cpu.support.Sums;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** In f32, whose sums are f64. */
record FloatScores(float[] values, Scratch scratch) implements ScoreRows {
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
        float rounded = (float) factor;
        for (int i = 0; i < n; i++) {
            values[i] *= rounded;
        }
    }

    @Override
    public void add(int at, double term) {
        values[at] += (float) term;
    }

    @Override
    public void fill(int from, int end, double value) {
        Arrays.fill(values, from, end, (float) value);
    }

    @Override
    public double max(int from, int end, double least) {
        float largest = (float) least;
        for (int i = from; i < end; i++) {
            largest = Math.max(largest, values[i]);
        }
        return largest;
    }

    @Override
    public void subtract(int from, int end, double shift) {
        float rounded = (float) shift;
        for (int i = from; i < end; i++) {
            values[i] -= rounded;
        }
    }

    @Override
    public void exponentials(int n) {
        scratch.registers.functions.exp(values, 0, n);
    }

    @Override
    public void exponentialsOf(double[] powers, int n) {
        scratch.registers.functions.transcendentals.exp(powers, n);
    }

    @Override
    public double sum(int from, int end) {
        Elements.widen(values, from, scratch.doubles2, 0, end - from);
        return Sums.of(scratch.doubles2, 0, end - from);
    }

    @Override
    public void slopes(ScoreRows probabilities, int from, int end, double delta, double factor) {
        float[] p = ((FloatScores) probabilities).values;
        float shift = (float) delta;
        float rounded = (float) factor;
        for (int i = from; i < end; i++) {
            values[i] = p[i] * (values[i] - shift) * rounded;
        }
    }
}
