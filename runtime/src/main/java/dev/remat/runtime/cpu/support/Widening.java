package dev.remat.runtime.cpu.support;

import dev.remat.ir.DType;
import java.lang.foreign.MemorySegment;

/** Runs of 16-bit floats to runs of f32 in the arena, and back with rounding. */
public final class Widening {
    private Widening() {}

    public static void widen(MemorySegment arena, DType type, long from, long to, int count, Scratch scratch) {
        convert(arena, type, from, DType.F32, to, count, scratch);
    }

    public static void narrow(MemorySegment arena, DType type, long from, long to, int count, Scratch scratch) {
        convert(arena, DType.F32, from, type, to, count, scratch);
    }

    private static void convert(
            MemorySegment arena, DType fromType, long from, DType toType, long to, int count, Scratch scratch) {
        for (int at = 0; at < count; at += Scratch.CHUNK) {
            int part = Math.min(Scratch.CHUNK, count - at);
            Elements.load(arena, fromType, from + (long) at * fromType.bytes(), scratch.floats, 0, part, scratch);
            Elements.store(arena, toType, to + (long) at * toType.bytes(), scratch.floats, 0, part, scratch);
        }
    }
}
