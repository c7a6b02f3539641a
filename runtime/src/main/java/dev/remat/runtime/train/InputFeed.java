package dev.remat.runtime.train;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.InputSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/** Brings batches into the arena. */
public final class InputFeed {
    private record Feed(InputSpec spec, long offset, MemorySegment staging) {}

    private final Executable executable;
    /** How many pieces of a batch, each with an equal number of rows, one behind the other, are brought at once. */
    private final int pieces;

    private final BatchSource batches;
    private final List<Feed> feeds;
    private final MemorySegment number;

    /** Staging memory is allocated here, once. */
    public InputFeed(Executable executable, BatchSource batches) {
        this.executable = executable;
        this.batches = batches;
        this.pieces = executable.microBatchesAtOnce();
        Arena arena = Arena.ofAuto();
        this.feeds = specs(executable.plan()).stream()
                .filter(spec ->
                        executable.here(executable.plan().input(spec.name())).isPresent())
                .map(spec -> new Feed(
                        spec,
                        executable.plan().input(spec.name()).offset(),
                        arena.allocate(spec.elements() * spec.dtype().bytes(), Long.BYTES)))
                .toList();
        this.number = arena.allocate(ValueLayout.JAVA_LONG);
    }

    /** The data that a plan asks for, integers with the ranges that its look-ups set. */
    public static List<InputSpec> specs(ExecutionPlan plan) {
        return plan.inputs().stream()
                .filter(input -> input.kind() == InputKind.DATA)
                .map(input -> spec(plan, input))
                .toList();
    }

    private static InputSpec spec(ExecutionPlan plan, ArenaTensor input) {
        return new InputSpec(
                input.name(),
                input.type().dtype(),
                Arrays.stream(input.type().shape().toArray()).boxed().toList(),
                ColumnRanges.of(plan, input));
    }

    /** Where a mapped file has lost what is read, the virtual machine throws an error of its own. */
    private void fill(long rows, Feed feed) {
        int ranks = executable.plan().ranks();
        InputSpec one = feed.spec().inPieces(pieces);
        long bytes = feed.staging().byteSize() / pieces;
        try {
            for (int piece = 0; piece < pieces; piece++) {
                // Ranks take turns: a rank's next piece comes behind those of the others.
                long number = (rows / ranks * pieces + piece) * ranks + rows % ranks;
                batches.fill(number, one, feed.staging().asSlice(piece * bytes, bytes));
            }
        } catch (InternalError e) {
            throw new DataException("the data for " + feed.spec().name()
                    + " can no longer be read: its file was cut short, or its disk failed");
        }
    }

    /**
     * Brings batch {@code batch} (from 0) and the numbers of training step {@code step} (from 1), of a plan that is
     * not cut into micro-batches.
     *
     * @throws DataException if the data cannot be read or does not fit
     */
    public void feed(long batch, long step) {
        feed(batch, step, 0);
    }

    /**
     * The same for a micro-batch, of the rank that runs it; nothing where another process has what reads it.
     *
     * @param rows number of the micro-batch among all of all steps, from 0
     * @param microBatch within its step, from 0
     */
    public void feed(long rows, long step, int microBatch) {
        List<Executable> ranks = executable.ranks();
        Executable rank = ranks.get(microBatch % ranks.size());
        if (rank.here().isEmpty()) {
            return;
        }
        for (Feed feed : feeds) {
            fill(rows, feed);
            rank.write(feed.offset(), feed.staging());
        }
        number(rank, number, step, microBatch);
    }

    /** Brings the numbers of a step alone. */
    static void number(Executable executable, MemorySegment staging, long step, int microBatch) {
        executable.plan().stepInputs(step, microBatch).forEach((offset, value) -> {
            staging.set(ValueLayout.JAVA_LONG, 0, value);
            executable.write(offset, staging);
        });
    }
}
