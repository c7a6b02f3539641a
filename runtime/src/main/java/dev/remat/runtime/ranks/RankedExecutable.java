package dev.remat.runtime.ranks;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.runtime.Executable;
import dev.remat.runtime.Moved;
import dev.remat.runtime.TimedExecutable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * One plan on several ranks, each a thread of this process with an arena of its own. What is written goes to all of
 * them, and what is read comes from the first, since ranks agree on everything that outlives a round.
 */
public final class RankedExecutable implements TimedExecutable {
    private final List<TimedExecutable> ranks;
    private final Meeting shared;
    private final SideBySide threads;

    private RankedExecutable(List<TimedExecutable> ranks, Meeting shared) {
        this.ranks = List.copyOf(ranks);
        this.shared = shared;
        this.threads = new SideBySide(ranks.size(), "rank-");
    }

    /** @param load loads the plan for the rank that a transport is of */
    public static RankedExecutable load(ExecutionPlan plan, Function<Transport, TimedExecutable> load) {
        SharedMemory shared = new SharedMemory(plan.ranks());
        List<TimedExecutable> ranks = new ArrayList<>();
        try {
            shared.transports().forEach(transport -> ranks.add(load.apply(transport)));
        } catch (RuntimeException | Error e) {
            ranks.forEach(Executable::close);
            throw e;
        }
        return new RankedExecutable(ranks, shared);
    }

    /**
     * Of a step in stages, each rank with all of them.
     *
     * @param load loads the plan of a stage, with what it reaches others by
     */
    public static RankedExecutable load(PlanSet set, BiFunction<ExecutionPlan, Transport, TimedExecutable> load) {
        StageGrid grid = new StageGrid(set.stages().size(), set.ranks());
        List<TimedExecutable> ranks = new ArrayList<>();
        try {
            for (int rank = 0; rank < set.ranks(); rank++) {
                ranks.add(StagedExecutable.load(set, grid.transports(rank), grid, load));
            }
        } catch (RuntimeException | Error e) {
            ranks.forEach(Executable::close);
            throw e;
        }
        return new RankedExecutable(ranks, grid);
    }

    @Override
    public int microBatchesAtOnce() {
        return first().microBatchesAtOnce();
    }

    @Override
    public boolean runsStepByStep() {
        return first().runsStepByStep();
    }

    @Override
    public List<Executable> ranks() {
        return List.copyOf(ranks);
    }

    @Override
    public ExecutionPlan plan() {
        return first().plan();
    }

    private TimedExecutable first() {
        return ranks.getFirst();
    }

    /** Of the first rank. */
    @Override
    public void time(StepTimer listener) {
        first().time(listener);
    }

    /** @param microBatch of the first rank; the others run those behind it */
    @Override
    public void run(long step, int microBatch, int from, int to) {
        shared.begin(from);
        threads.run(rank -> run(rank, step, microBatch + rank, from, to));
    }

    private void run(int rank, long step, int microBatch, int from, int to) {
        try {
            ranks.get(rank).run(step, microBatch, from, to);
        } catch (RuntimeException | Error e) {
            shared.stop(e);
            throw e;
        }
    }

    @Override
    public void pass(int step) {
        ranks.forEach(rank -> rank.pass(step));
    }

    @Override
    public void write(long offset, MemorySegment source) {
        ranks.forEach(rank -> rank.write(offset, source));
    }

    @Override
    public MemorySegment read(long offset, long bytes) {
        return first().read(offset, bytes);
    }

    @Override
    public MemorySegment read(ArenaTensor tensor, long from, long bytes) {
        return first().read(tensor, from, bytes);
    }

    @Override
    public void write(ArenaTensor tensor, long from, MemorySegment source) {
        ranks.forEach(rank -> rank.write(tensor, from, source));
    }

    /** Of a rank that has used another part of its arena than it has, if there is one. */
    @Override
    public long highWaterBytes() {
        return ranks.stream()
                .mapToLong(Executable::highWaterBytes)
                .filter(bytes -> bytes != plan().arenaBytes())
                .findFirst()
                .orElse(plan().arenaBytes());
    }

    /** By each rank. */
    @Override
    public Moved moved() {
        return first().moved();
    }

    @Override
    public SortedMap<String, String> kernels() {
        return first().kernels();
    }

    @Override
    public Executable loadBeside(ExecutionPlan other) {
        return first().loadBeside(other);
    }

    /** In the arena of the first rank. */
    @Override
    public Executable loadWithin(ExecutionPlan other) {
        return first().loadWithin(other);
    }

    @Override
    public void close() {
        threads.close();
        ranks.forEach(Executable::close);
    }
}
