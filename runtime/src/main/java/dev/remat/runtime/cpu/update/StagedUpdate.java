package dev.remat.runtime.cpu.update;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.kernel.Binding;
import dev.remat.runtime.cpu.kernel.Frame;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.Scratch;
import java.lang.foreign.MemorySegment;

/**
 * A parameter and its states, which are changed in place, and its gradient: computed in f64 and rounded once. Places
 * are bytes of the arena.
 *
 * @param type of the parameter and its states
 */
record StagedUpdate(DType type, DType gradientType, long count, long parameter, long gradient, long[] states) {
    private static final int CHUNKS_PER_TASK = 16;

    /** A staged run from element {@code at} on: parameter in {@code p}, gradient in {@code g}, states in {@code s}. */
    @FunctionalInterface
    interface Rule {
        void apply(long at, double[] p, double[] g, double[][] s, int n);
    }

    /** Of operands 0 and 1 the elements from {@code from} on. */
    static StagedUpdate of(Binding in, long from, long count, long... states) {
        return new StagedUpdate(
                in.dtype(0),
                in.dtype(1),
                count,
                in.dense(0) + in.dtype(0).bytesOf(from),
                in.dense(1) + in.dtype(1).bytesOf(from),
                states);
    }

    void run(Frame frame, Rule rule) {
        MemorySegment arena = frame.arena();
        long perTask = (long) Scratch.CHUNK * CHUNKS_PER_TASK;
        frame.pool().run(Math.toIntExact((count + perTask - 1) / perTask), (task, scratch) -> {
            double[] g = scratch.small(3 * Scratch.CHUNK);
            double[] p = scratch.doubles2;
            double[][] s = {scratch.doubles3, scratch.accumulators(Scratch.CHUNK), scratch.doubles4};
            long end = Math.min(count, (task + 1) * perTask);
            for (long at = task * perTask; at < end; at += Scratch.CHUNK) {
                int n = (int) Math.min(Scratch.CHUNK, end - at);
                long offset = at * type.bytes();
                Elements.load(arena, type, parameter + offset, p, 0, n, scratch);
                Elements.load(arena, gradientType, gradient + at * gradientType.bytes(), g, 0, n, scratch);
                for (int state = 0; state < states.length; state++) {
                    Elements.load(arena, type, states[state] + offset, s[state], 0, n, scratch);
                }
                rule.apply(at, p, g, s, n);
                Elements.store(arena, type, parameter + offset, p, 0, n, scratch);
                for (int state = 0; state < states.length; state++) {
                    Elements.store(arena, type, states[state] + offset, s[state], 0, n, scratch);
                }
            }
        });
    }
}
