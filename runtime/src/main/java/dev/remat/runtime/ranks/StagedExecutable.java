package dev.remat.runtime.ranks;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.runtime.Executable;
import dev.remat.runtime.TimedExecutable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.BiFunction;

/**
 * The stages of a step, each a thread of this process with an arena of its own. To those who look from outside it is
 * {@link PlanSet#whole one plan} in one arena; it runs up to where nothing is updated yet, and from there.
 */
public final class StagedExecutable implements TimedExecutable {
    private final PlanSet set;
    private final ExecutionPlan whole;
    private final int[] pauses;
    private final long[] arenas;
    private final List<TimedExecutable> stages;
    private final Meeting shared;
    private final SideBySide threads;
    /** How many steps of the whole run before something is updated. */
    private final int pause;

    private StagedExecutable(PlanSet set, List<TimedExecutable> stages, Meeting shared) {
        this.set = set;
        this.whole = set.whole();
        this.pauses = set.pauses();
        this.arenas = set.arenas();
        this.stages = List.copyOf(stages);
        this.shared = shared;
        this.threads = new SideBySide(stages.size(), "stage-");
        int before = 0;
        for (int own : pauses) {
            before += own;
        }
        this.pause = before;
    }

    /** @param load loads the plan of a stage, with what it reaches others by */
    public static StagedExecutable load(PlanSet set, BiFunction<ExecutionPlan, Transport, TimedExecutable> load) {
        StageMemory shared = new StageMemory(set.stages().size());
        return load(set, shared.transports(), shared, load);
    }

    /** @param shared what the transports of stages meet in */
    static StagedExecutable load(
            PlanSet set,
            List<Transport> transports,
            Meeting shared,
            BiFunction<ExecutionPlan, Transport, TimedExecutable> load) {
        List<TimedExecutable> stages = new ArrayList<>();
        try {
            for (int stage = 0; stage < transports.size(); stage++) {
                stages.add(load.apply(set.stages().get(stage), transports.get(stage)));
            }
        } catch (RuntimeException | Error e) {
            stages.forEach(Executable::close);
            throw e;
        }
        return new StagedExecutable(set, stages, shared);
    }

    @Override
    public ExecutionPlan plan() {
        return whole;
    }

    @Override
    public int microBatchesAtOnce() {
        return set.microBatches();
    }

    @Override
    public boolean runsStepByStep() {
        return false;
    }

    @Override
    public void time(StepTimer listener) {
        int before = 0;
        int after = pause;
        for (int stage = 0; stage < pauses.length; stage++) {
            int first = before;
            int second = after - pauses[stage];
            int own = pauses[stage];
            stages.get(stage).time((step, nanos) -> listener.ran(step + (step < own ? first : second), nanos));
            before += own;
            after += set.stages().get(stage).steps().size() - own;
        }
    }

    /** @throws IllegalArgumentException if this is not all that runs before something is updated, or from there on */
    @Override
    public void run(long step, int microBatch, int from, int to) {
        int end = whole.steps().size();
        if (from == to) {
            return;
        }
        if (from != 0 && from != pause || to != pause && to != end) {
            throw new IllegalArgumentException("steps %d to %d of stages that pause at %d".formatted(from, to, pause));
        }
        if (whole.ranks() == 1) {
            shared.begin(from);
        }
        threads.run(stage -> run(stage, step, microBatch, from == 0, to == end));
    }

    private void run(int stage, long step, int microBatch, boolean fromBegin, boolean toEnd) {
        try {
            int steps = set.stages().get(stage).steps().size();
            stages.get(stage).run(step, microBatch, fromBegin ? 0 : pauses[stage], toEnd ? steps : pauses[stage]);
        } catch (RuntimeException | Error e) {
            shared.stop(e);
            throw e;
        }
    }

    private int stageAt(long offset) {
        int stage = arenas.length - 1;
        while (arenas[stage] > offset) {
            stage--;
        }
        return stage;
    }

    @Override
    public void write(long offset, MemorySegment source) {
        int stage = stageAt(offset);
        stages.get(stage).write(offset - arenas[stage], source);
    }

    @Override
    public MemorySegment read(long offset, long bytes) {
        int stage = stageAt(offset);
        return stages.get(stage).read(offset - arenas[stage], bytes);
    }

    /** Of all stages together. */
    @Override
    public long highWaterBytes() {
        return stages.stream().mapToLong(Executable::highWaterBytes).sum();
    }

    @Override
    public SortedMap<String, String> kernels() {
        return stages.getFirst().kernels();
    }

    @Override
    public Executable loadBeside(ExecutionPlan other) {
        return stages.getFirst().loadBeside(other);
    }

    /** @throws IllegalArgumentException always: no stage has what another plan reads */
    @Override
    public Executable loadWithin(ExecutionPlan other) {
        throw new IllegalArgumentException("the arenas of stages hold no other plan");
    }

    @Override
    public void close() {
        threads.close();
        stages.forEach(Executable::close);
    }
}
