package dev.remat.runtime.process;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.Moved;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.ranks.Transport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;

/**
 * One plan on several ranks, each a process that has one of these. All processes do the same with it in the same order:
 * what one reads of a rank, all read, and the rank that has it sends it.
 */
public final class ProcessExecutable implements TimedExecutable {
    private final TimedExecutable own;
    private final ProcessGroup group;
    private final List<Executable> ranks = new ArrayList<>();
    /** Takes what is read of tensors, a piece at a time. */
    private final MemorySegment staging = Arena.ofAuto().allocate(PIECE_BYTES, Long.BYTES);

    private ProcessExecutable(TimedExecutable own, ProcessGroup group) {
        this.own = own;
        this.group = group;
        for (int rank = 0; rank < group.ranks(); rank++) {
            ranks.add(new Rank(rank));
        }
    }

    /** @param load loads the plan for the rank that a transport is of */
    public static ProcessExecutable load(ProcessGroup group, Function<Transport, TimedExecutable> load) {
        return new ProcessExecutable(load.apply(group.transport()), group);
    }

    @Override
    public List<Executable> ranks() {
        return List.copyOf(ranks);
    }

    @Override
    public boolean any(boolean own) {
        return group.any(own);
    }

    @Override
    public ExecutionPlan plan() {
        return own.plan();
    }

    /** Of this rank. */
    @Override
    public void time(StepTimer listener) {
        own.time(listener);
    }

    /** @param microBatch of the first rank; the others run those behind it */
    @Override
    public void run(long step, int microBatch, int from, int to) {
        own.run(step, microBatch + group.rank(), from, to);
    }

    @Override
    public void pass(int step) {
        own.pass(step);
    }

    @Override
    public void write(long offset, MemorySegment source) {
        own.write(offset, source);
    }

    @Override
    public MemorySegment read(long offset, long bytes) {
        return own.read(offset, bytes);
    }

    @Override
    public MemorySegment read(ArenaTensor tensor, long from, long bytes) {
        return own.read(tensor, from, bytes);
    }

    @Override
    public void write(ArenaTensor tensor, long from, MemorySegment source) {
        own.write(tensor, from, source);
    }

    @Override
    public long highWaterBytes() {
        return own.highWaterBytes();
    }

    @Override
    public Moved moved() {
        return own.moved();
    }

    @Override
    public SortedMap<String, String> kernels() {
        return own.kernels();
    }

    @Override
    public Executable loadBeside(ExecutionPlan other) {
        return own.loadBeside(other);
    }

    @Override
    public Executable loadWithin(ExecutionPlan other) {
        return own.loadWithin(other);
    }

    @Override
    public void close() {
        own.close();
    }

    /** One of them, as all see it. */
    private final class Rank implements Executable {
        private final int number;

        Rank(int number) {
            this.number = number;
        }

        @Override
        public Optional<Executable> here() {
            return number == group.rank() ? Optional.of(own) : Optional.empty();
        }

        @Override
        public ExecutionPlan plan() {
            return own.plan();
        }

        @Override
        public void run(long step, int microBatch, int from, int to) {
            throw new IllegalStateException("ranks run together");
        }

        @Override
        public void write(long offset, MemorySegment source) {
            here().ifPresent(each -> each.write(offset, source));
        }

        @Override
        public void write(ArenaTensor tensor, long from, MemorySegment source) {
            here().ifPresent(each -> each.write(tensor, from, source));
        }

        @Override
        public MemorySegment read(long offset, long bytes) {
            return group.seen(
                    number,
                    here().map(each -> each.read(offset, bytes)),
                    Arena.ofAuto().allocate(bytes, Long.BYTES));
        }

        @Override
        public MemorySegment read(ArenaTensor tensor, long from, long bytes) {
            return group.seen(number, here().map(each -> each.read(tensor, from, bytes)), staging.asSlice(0, bytes));
        }

        @Override
        public long highWaterBytes() {
            return own.highWaterBytes();
        }

        @Override
        public Executable loadBeside(ExecutionPlan other) {
            return own.loadBeside(other);
        }

        @Override
        public Executable loadWithin(ExecutionPlan other) {
            return own.loadWithin(other);
        }

        /** Which all of them are by their process. */
        @Override
        public void close() {
            ProcessExecutable.this.close();
        }
    }
}
