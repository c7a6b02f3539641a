package dev.remat.runtime;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** An execution plan loaded onto a device: one arena, allocated once; nothing is allocated after loading. */
public interface Executable extends AutoCloseable {
    ExecutionPlan plan();

    /**
     * Runs the plan's steps {@code from} to {@code to}, the latter exclusive, and returns when they are done.
     *
     * @param step number of the training step, from 1; the random draws depend on it. Whether it sets
     *     {@link ExecutionPlan#stepInputs}, too, is the executor's affair: callers write them
     * @param microBatch number of the micro-batch within the step, from 0; likewise
     */
    void run(long step, int microBatch, int from, int to);

    /** Runs steps of a plan without micro-batches. */
    default void run(long step, int from, int to) {
        run(step, 0, from, to);
    }

    /** Runs the whole plan once. */
    default void run(long step) {
        run(step, 0, plan().steps().size());
    }

    /** By rank, what runs on each; this alone where there is one. */
    default List<Executable> ranks() {
        return List.of(this);
    }

    /** How many micro-batches a run takes at once; their rows lie one behind the other in what it reads. */
    default int microBatchesAtOnce() {
        return 1;
    }

    /** What of it is in this process; empty of a rank that runs in another. */
    default Optional<Executable> here() {
        return Optional.of(this);
    }

    /** The same, where it has a tensor; empty where another process has that. */
    default Optional<Executable> here(ArenaTensor tensor) {
        return here();
    }

    /** How many stages are processes of their own, as many each; these are numbered one stage behind the other. */
    default int stages() {
        return 1;
    }

    /** Whether something is so in any of the processes that this runs in, each of which asks. */
    default boolean any(boolean own) {
        return own;
    }

    /** Whether any steps may be run by themselves, to look into them. */
    default boolean runsStepByStep() {
        return true;
    }

    /** Leaves out a kernel, but not what is moved in front of it; for looking into a step. */
    default void pass(int step) {}

    /** Copies bytes into the arena. */
    void write(long offset, MemorySegment source);

    /**
     * Bytes of the arena as the host sees them, read-only and valid until the next run or
     * write: a view where the arena
     * is in host memory, else a copy.
     */
    MemorySegment read(long offset, long bytes);

    /** Most bytes of a tensor that are read or written at once where it may live below the arena. */
    long PIECE_BYTES = 1 << 22;

    /**
     * Bytes of a tensor that outlives the step, in the arena or in the place that it lives in; valid until the next
     * run, write or read.
     *
     * @param from the first of them, a multiple of {@link #PIECE_BYTES}
     * @param bytes no more than that
     */
    default MemorySegment read(ArenaTensor tensor, long from, long bytes) {
        return read(tensor.offset() + from, bytes);
    }

    /**
     * Copies bytes into such a tensor.
     *
     * @param from where the first of them goes, a multiple of {@link #PIECE_BYTES}
     * @param source no more than that; up to the end of the tensor where it is less
     */
    default void write(ArenaTensor tensor, long from, MemorySegment source) {
        write(tensor.offset() + from, source);
    }

    /** The end of the highest range of the arena that a kernel or library has received so far, in bytes. */
    long highWaterBytes();

    /** What has been moved out of the arena and back since this was loaded. */
    default Moved moved() {
        return Moved.NONE;
    }

    /** The kernels that rounding depends on beside the plan: what was chosen for this device, by library. */
    default SortedMap<String, String> kernels() {
        return Collections.emptySortedMap();
    }

    /** Loads another plan onto the same device, with an arena of its own; for looking into this one. */
    Executable loadBeside(ExecutionPlan other);

    /**
     * Loads another plan into this arena, to take turns with this one: what this plan keeps between steps has the same
     * place in both. Its memory is this one's, and it is closed before.
     *
     * @throws IllegalArgumentException if the arena is too small for it
     */
    Executable loadWithin(ExecutionPlan other);

    /** Frees the arena. */
    @Override
    void close();
}
