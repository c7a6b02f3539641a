package dev.remat.runtime.process;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.runtime.Executable;
import dev.remat.runtime.Moved;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.ranks.StagedExecutable;
import dev.remat.runtime.ranks.Transport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongToIntFunction;
import java.util.stream.IntStream;

/**
 * One plan on several ranks, each a process that has one of these, or as many as it has stages. All processes do the
 * same with it in the same order: what one reads of a rank, all read, and the process that has it sends it. So is what
 * one reads of a stage, of which each rank has its own.
 */
public final class ProcessExecutable implements TimedExecutable {
    private final TimedExecutable own;
    private final LongToIntFunction stageAt;
    private final ProcessGroup group;
    private final ProcessGrid grid;
    private final List<Executable> ranks = new ArrayList<>();
    /** Takes what is read of tensors, a piece at a time. */
    private final MemorySegment staging = Arena.ofAuto().allocate(PIECE_BYTES, Long.BYTES);

    private ProcessExecutable(TimedExecutable own, LongToIntFunction stageAt, ProcessGroup group) {
        this.own = own;
        this.stageAt = stageAt;
        this.group = group;
        this.grid = group.grid();
        for (int rank = 0; rank < grid.ranks(); rank++) {
            ranks.add(new Rank(rank));
        }
    }

    /** @param load loads the plan for the rank that a transport is of */
    public static ProcessExecutable load(ProcessGroup group, Function<Transport, TimedExecutable> load) {
        return new ProcessExecutable(load.apply(group.transport()), _ -> 0, group);
    }

    /**
     * Of a step in stages, each of which is a process on each rank.
     *
     * @param load loads the plan of a stage, with what it reaches others by
     */
    public static ProcessExecutable load(
            ProcessGroup group, PlanSet set, BiFunction<ExecutionPlan, Transport, TimedExecutable> load) {
        int stage = group.grid().stage(group.rank());
        return new ProcessExecutable(StagedExecutable.load(set, stage, group.transport(), load), set::stageAt, group);
    }

    private int rank() {
        return grid.rank(group.rank());
    }

    /** What a process has, if it is this one. */
    private Optional<Executable> at(int process) {
        return Optional.<Executable>of(own).filter(_ -> process == group.rank());
    }

    /** What a stage of this rank has, which all stages of the rank ask for. */
    private MemorySegment ofStage(int stage, Function<Executable, MemorySegment> read, MemorySegment room) {
        int process = grid.process(stage, rank());
        return group.seen(process, at(process).map(read), room, grid.ofRank(rank()));
    }

    @Override
    public int microBatchesAtOnce() {
        return own.microBatchesAtOnce();
    }

    @Override
    public boolean runsStepByStep() {
        return own.runsStepByStep();
    }

    @Override
    public int stages() {
        return grid.stages();
    }

    @Override
    public Optional<Executable> here(ArenaTensor tensor) {
        return own.here(tensor);
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
        group.compute(() -> own.run(step, microBatch + rank(), from, to));
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
        return grid.stages() == 1
                ? own.read(offset, bytes)
                : ofStage(stageAt.applyAsInt(offset), each -> each.read(offset, bytes), room(bytes));
    }

    @Override
    public MemorySegment read(ArenaTensor tensor, long from, long bytes) {
        return grid.stages() == 1
                ? own.read(tensor, from, bytes)
                : ofStage(
                        stageAt.applyAsInt(tensor.offset()),
                        each -> each.read(tensor, from, bytes),
                        staging.asSlice(0, bytes));
    }

    private static MemorySegment room(long bytes) {
        return Arena.ofAuto().allocate(bytes, Long.BYTES);
    }

    @Override
    public void write(ArenaTensor tensor, long from, MemorySegment source) {
        own.write(tensor, from, source);
    }

    /** Of all stages of this rank together. */
    @Override
    public long highWaterBytes() {
        if (grid.stages() == 1) {
            return own.highWaterBytes();
        }
        MemorySegment bytes = room(Long.BYTES);
        bytes.set(ValueLayout.JAVA_LONG, 0, own.highWaterBytes());
        return IntStream.range(0, grid.stages())
                .mapToLong(stage -> ofStage(stage, _ -> bytes, room(Long.BYTES)).get(ValueLayout.JAVA_LONG, 0))
                .sum();
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
            return Optional.<Executable>of(own).filter(_ -> number == rank());
        }

        @Override
        public Optional<Executable> here(ArenaTensor tensor) {
            return here().flatMap(here -> here.here(tensor));
        }

        /** What the stage of this rank has that a place belongs to. */
        private MemorySegment seen(long offset, Function<Executable, MemorySegment> read, MemorySegment room) {
            int process = grid.process(stageAt.applyAsInt(offset), number);
            return group.seen(process, at(process).map(read), room);
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
            return seen(offset, each -> each.read(offset, bytes), room(bytes));
        }

        @Override
        public MemorySegment read(ArenaTensor tensor, long from, long bytes) {
            return seen(tensor.offset(), each -> each.read(tensor, from, bytes), staging.asSlice(0, bytes));
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
