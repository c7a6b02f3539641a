package dev.remat.runtime.cpu.support;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/** A small arena for kernel tests: tensors are handed out one after another, workspaces are filled with rubbish. */
public final class TestArena implements AutoCloseable {
    private final Arena owner = Arena.ofShared();
    private final Random random = new Random(7);
    public final MemorySegment memory;
    private long used;

    public TestArena(long bytes) {
        memory = owner.allocate(bytes, 64);
    }

    public long reserve(long bytes) {
        long at = used;
        used += Alignment.up(bytes, Alignment.CACHE_LINE);
        memory.asSlice(at, Math.max(bytes, 0)).fill((byte) 0x7F);
        return at;
    }

    public long zeros(DType type, int count) {
        long at = reserve((long) count * type.bytes());
        memory.asSlice(at, (long) count * type.bytes()).fill((byte) 0);
        return at;
    }

    public long normal(DType type, int count) {
        long at = reserve((long) count * type.bytes());
        for (int i = 0; i < count; i++) {
            set(type, at, i, random.nextGaussian());
        }
        return at;
    }

    public long of(DType type, double... values) {
        long at = reserve((long) values.length * type.bytes());
        for (int i = 0; i < values.length; i++) {
            set(type, at, i, values[i]);
        }
        return at;
    }

    long indices(DType type, int count, int bound) {
        long at = reserve((long) count * type.bytes());
        for (int i = 0; i < count; i++) {
            set(type, at, i, random.nextInt(bound));
        }
        return at;
    }

    void set(DType type, long at, int index, double value) {
        long offset = at + (long) index * type.bytes();
        switch (type) {
            case I32 -> memory.set(java.lang.foreign.ValueLayout.JAVA_INT, offset, (int) value);
            case I64 -> memory.set(java.lang.foreign.ValueLayout.JAVA_LONG, offset, (long) value);
            case BOOL -> memory.set(java.lang.foreign.ValueLayout.JAVA_BYTE, offset, (byte) value);
            case F32, BF16, F16, F64, BIT, SEED -> Elements.set(memory, type, offset, value);
        }
    }

    public double get(DType type, long at, int index) {
        long offset = at + (long) index * type.bytes();
        return type.isFloat() ? Elements.get(memory, type, offset) : Elements.getIndex(memory, type, offset);
    }

    public double[] values(DType type, long at, int count) {
        double[] values = new double[count];
        for (int i = 0; i < count; i++) {
            values[i] = get(type, at, i);
        }
        return values;
    }

    /** How far a result in {@code type} may lie from the exact one, relative to the size of what was added up. */
    public static double tolerance(DType type) {
        return switch (type) {
            case F64 -> 1e-12;
            case F32 -> 2e-5;
            case F16 -> 2e-3;
            case BF16 -> 1.5e-2;
            case I32, I64, BOOL, BIT, SEED -> 0;
        };
    }

    @Override
    public void close() {
        owner.close();
    }
}
