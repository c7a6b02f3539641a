package dev.remat.runtime.cpu.reduce;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.DType;
import dev.remat.runtime.cpu.elementwise.EltwiseProgram;
import dev.remat.runtime.cpu.support.Elements;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Sum, mean, maximum, minimum or product of an elementwise program's one output over some axes, written densely. */
public final class ReduceKernel {
    /** What becomes of the elements. */
    public enum Kind {
        SUM,
        MEAN,
        MAX,
        MIN,
        PROD
    }

    private final Kind kind;
    private final DType type;
    private final long count;
    private final Reduction reduction;

    /**
     * Strides are elements for each of {@code dims}, for each of the program's inputs.
     *
     * @param type of the results
     */
    public ReduceKernel(
            Kind kind, EltwiseProgram program, DType type, int[] dims, boolean[] reduced, List<long[]> inputStrides) {
        this.kind = kind;
        this.type = type;
        this.reduction = new Reduction(program, List.of(kind(kind)), dims, reduced, inputStrides);
        this.count = count(dims, reduced);
    }

    private static Reduction.Kind kind(Kind kind) {
        return switch (kind) {
            case SUM, MEAN -> Reduction.Kind.SUM;
            case MAX -> Reduction.Kind.MAX;
            case MIN -> Reduction.Kind.MIN;
            case PROD -> Reduction.Kind.PROD;
        };
    }

    /** How many elements go into one result. */
    public static long count(int[] dims, boolean[] reduced) {
        long count = 1;
        for (int axis = 0; axis < dims.length; axis++) {
            count *= reduced[axis] ? dims[axis] : 1;
        }
        return count;
    }

    /** Bytes of workspace; the same for any number of threads. */
    public static long workspaceBytes(DType type, int[] dims, boolean[] reduced) {
        return Reduction.workspaceBytes(dims, reduced, 1, !type.isFloat());
    }

    /** Offsets are bytes into the arena. */
    public void run(
            WorkerPool pool, MemorySegment arena, long[] inputs, long output, long workspace, RandomBits randomBits) {
        reduction.run(pool, arena, inputs, workspace, randomBits, (position, totals, at, step) -> {
            double value = kind == Kind.MEAN ? totals[at] / count : totals[at];
            long to = output + position * type.bytes();
            switch (type) {
                case F32, BF16, F16, F64 -> Elements.set(arena, type, to, value);
                case I32 -> arena.set(JAVA_INT, to, (int) (long) value);
                case I64 -> arena.set(JAVA_LONG, to, (long) value);
                case BOOL, BIT, SEED -> throw new IllegalArgumentException("no reduction of " + type);
            }
        });
    }
}
