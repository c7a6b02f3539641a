package dev.remat.runtime.cpu.support;

import dev.remat.ir.DType;
import java.lang.foreign.MemorySegment;

/**
 * Terms of a sum of tensors that were computed apart, to be added in order.
 *
 * @param type f32 or f64
 * @param from byte of the first term
 * @param step bytes from one term to the next
 */
public record PartialSums(DType type, long from, long step, int terms) {
    /** Adds all terms to the tensor at {@code to}. */
    public void addTo(WorkerPool pool, MemorySegment arena, long to, long elements) {
        pool.run(Math.toIntExact(Math.ceilDiv(elements, (long) Scratch.CHUNK)), (task, scratch) -> {
            long at = (long) task * Scratch.CHUNK;
            addTo(arena, to, at, (int) Math.min(Scratch.CHUNK, elements - at), scratch);
        });
    }

    /** Adds {@code count} elements from {@code at} on, a chunk at most. */
    public void addTo(MemorySegment arena, long to, long at, int count, Scratch scratch) {
        long offset = at * type.bytes();
        if (type == DType.F64) {
            Elements.load(arena, type, to + offset, scratch.doubles, 0, count, scratch);
            for (int term = 0; term < terms; term++) {
                Elements.load(arena, type, from + term * step + offset, scratch.doubles2, 0, count, scratch);
                Sums.add(scratch.doubles, scratch.doubles2, count);
            }
            Elements.store(arena, type, to + offset, scratch.doubles, 0, count, scratch);
        } else {
            Elements.load(arena, type, to + offset, scratch.floats, 0, count, scratch);
            for (int term = 0; term < terms; term++) {
                Elements.load(arena, type, from + term * step + offset, scratch.floats2, 0, count, scratch);
                Sums.add(scratch.floats, scratch.floats2, count);
            }
            Elements.store(arena, type, to + offset, scratch.floats, 0, count, scratch);
        }
    }
}
