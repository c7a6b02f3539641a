package dev.remat.runtime.ranks;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.runtime.Executable;
import dev.remat.runtime.TimedExecutable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiFunction;

/**
 * The stages of a step, each a thread of this process with an arena of its own, or one of them, where others are other
 * processes. To those who look from outside it is {@link PlanSet#whole one plan} in one arena; it runs up to where
 * nothing is updated yet, and from there. What is written to a stage elsewhere is nothing.
 */
public final class StagedExecutable implements TimedExecutable {
    private final PlanSet set;
    private final ExecutionPlan whole;
    private final int[] pauses;
    private final long[] arenas;
    /** The first that is here. */
    private final int first;
    /** Those that are here. */
    private final List<TimedExecutable> stages;

    private final Meeting shared;
    private final SideBySide threads;
    /** How many steps of the whole run before something is updated. */
    private final int pause;

    private StagedExecutable(PlanSet set, int first, List<TimedExecutable> stages, Meeting shared) {
        this.set = set;
        this.first = first;
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
        return new StagedExecutable(set, 0, stages, shared);
    }

    /**
     * One stage, where others are other processes.
     *
     * @param transport that reaches them
     */
    public static StagedExecutable load(
            PlanSet set, int stage, Transport transport, BiFunction<ExecutionPlan, Transport, TimedExecutable> load) {
        TimedExecutable own = load.apply(set.stages().get(stage), transport);
        return new StagedExecutable(set, stage, List.of(own), Meeting.OF_ONE);
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
            int begin = before;
            int second = after - pauses[stage];
            int own = pauses[stage];
            if (isHere(stage)) {
                at(stage).time((step, nanos) -> listener.ran(step + (step < own ? begin : second), nanos));
            }
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
        threads.run(own -> run(first + own, step, microBatch, from == 0, to == end));
    }

    private void run(int stage, long step, int microBatch, boolean fromBegin, boolean toEnd) {
        try {
            int steps = set.stages().get(stage).steps().size();
            at(stage).run(step, microBatch, fromBegin ? 0 : pauses[stage], toEnd ? steps : pauses[stage]);
        } catch (RuntimeException | Error e) {
            shared.stop(e);
            throw e;
        }
    }

    private boolean isHere(int stage) {
        return stage >= first && stage < first + stages.size();
    }

    private TimedExecutable at(int stage) {
        return stages.get(stage - first);
    }

    @Override
    public Optional<Executable> here(ArenaTensor tensor) {
        return Optional.<Executable>of(this).filter(_ -> isHere(set.stageAt(tensor.offset())));
    }

    @Override
    public void write(long offset, MemorySegment source) {
        int stage = set.stageAt(offset);
        if (isHere(stage)) {
            at(stage).write(offset - arenas[stage], source);
        }
    }

    @Override
    public MemorySegment read(long offset, long bytes) {
        int stage = set.stageAt(offset);
        return at(stage).read(offset - arenas[stage], bytes);
    }

    /** Of all stages that are here together. */
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
