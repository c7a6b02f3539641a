package dev.remat.ir.execution;

import dev.remat.ir.execution.KernelStep.Placement;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.MicroBatchUpdate;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.List;

/**
 * The plans of all stages of a step, which run side by side and send each other what they
 * make. {@link #whole} has them
 * as one plan whose arena is those of the stages one behind the other: each stage's steps up to where it stands before
 * anything is updated, then each stage's others.
 *
 * @param stages in the order of the forward pass
 * @param microBatches how many a rank takes in a step, whose rows lie one behind the other in what stages are given
 */
public record PlanSet(List<ExecutionPlan> stages, int microBatches) {
    /** @throws IllegalArgumentException if there is no stage, or a loss is not known before something is updated */
    public PlanSet {
        stages = List.copyOf(stages);
        if (stages.isEmpty()) {
            throw new IllegalArgumentException("no stages");
        }
        int[] pauses = PausePoints.of(stages);
        for (int stage = 0; stage < pauses.length; stage++) {
            for (PlanOutput output : stages.get(stage).outputs()) {
                if (ExecutionPlan.isLoss(output.name()) && output.readyAfter() >= pauses[stage]) {
                    throw new IllegalArgumentException("'%s' is known behind step %d, and stage %d stands at %d, %s"
                            .formatted(
                                    output.name(),
                                    output.readyAfter(),
                                    stage,
                                    pauses[stage],
                                    stages.get(stage).steps().get(pauses[stage]).name()));
                }
            }
        }
    }

    /** How many ranks there are, each with all stages; 1 where nothing is exchanged. */
    public int ranks() {
        return stages.stream().mapToInt(ExecutionPlan::ranks).max().orElseThrow();
    }

    /** By stage: how many of its steps run before any stage changes what outlives the step. */
    public int[] pauses() {
        return PausePoints.of(stages);
    }

    /** By stage: where its arena begins in that of the whole. */
    public long[] arenas() {
        long[] begins = new long[stages.size()];
        for (int stage = 1; stage < begins.length; stage++) {
            begins[stage] = begins[stage - 1] + stages.get(stage - 1).arenaBytes();
        }
        return begins;
    }

    /** The stage whose arena a place in that of the whole belongs to. */
    public int stageAt(long offset) {
        long[] arenas = arenas();
        int stage = arenas.length - 1;
        while (arenas[stage] > offset) {
            stage--;
        }
        return stage;
    }

    /** All stages as one plan, for those who look at tensors and not at kernels. */
    public ExecutionPlan whole() {
        int[] pauses = pauses();
        long[] arenas = arenas();
        List<ArenaTensor> inputs = new ArrayList<>();
        List<PlanOutput> outputs = new ArrayList<>();
        List<KernelStep> before = new ArrayList<>();
        List<KernelStep> after = new ArrayList<>();
        int values = 0;
        for (int stage = 0; stage < pauses.length; stage++) {
            ExecutionPlan plan = stages.get(stage);
            Shift shift = new Shift(values, arenas[stage]);
            plan.inputs().forEach(input -> inputs.add(shift.moved(input)));
            for (int step = 0; step < plan.steps().size(); step++) {
                boolean pauseFollows = step < pauses[stage];
                (pauseFollows ? before : after).add(shift.moved(plan.steps().get(step), pauseFollows));
            }
            values += valuesOf(plan);
        }
        values = 0;
        for (int stage = 0; stage < pauses.length; stage++) {
            ExecutionPlan plan = stages.get(stage);
            for (PlanOutput output : plan.outputs()) {
                int known = output.readyAfter() < pauses[stage] ? before.size() : before.size() + after.size();
                outputs.add(new PlanOutput(
                        output.name(),
                        output.value() + values,
                        output.type(),
                        output.offset() + arenas[stage],
                        output.readyAfter() < 0 ? output.readyAfter() : known - 1));
            }
            values += valuesOf(plan);
        }
        before.addAll(after);
        ExecutionPlan first = stages.getFirst();
        return new ExecutionPlan(
                first.model(),
                first.modelHash(),
                first.target(),
                first.seed(),
                arenas[arenas.length - 1] + stages.getLast().arenaBytes(),
                inputs,
                before,
                outputs);
    }

    /** More than any id of a value. */
    private static int valuesOf(ExecutionPlan plan) {
        int most = -1;
        for (ArenaTensor input : plan.inputs()) {
            most = Math.max(most, input.value());
        }
        for (KernelStep step : plan.steps()) {
            for (Placement result : step.results()) {
                most = Math.max(most, result.value());
            }
        }
        return most + 1;
    }

    /** Whether a kernel changes what outlives the step. */
    static boolean changesState(KernelStep step) {
        return step.body().instructions().stream()
                .map(Instruction::op)
                .anyMatch(op -> op instanceof Update && !(op instanceof MicroBatchUpdate));
    }

    /** Ids and places of a stage in the whole. */
    private record Shift(int values, long bytes) {
        ArenaTensor moved(ArenaTensor input) {
            return new ArenaTensor(
                    input.value() + values,
                    input.name(),
                    input.type(),
                    input.kind(),
                    input.initializer(),
                    input.place(),
                    input.offset() + bytes,
                    input.location(),
                    input.rows(),
                    input.share());
        }

        /**
         * @param isBefore whether it runs before anything is updated; of the whole, everything else
         * is of the updates
         */
        KernelStep moved(KernelStep step, boolean isBefore) {
            return new KernelStep(
                    step.name(),
                    isBefore && step.role() == Role.UPDATE ? Role.BACKWARD : isBefore ? step.role() : Role.UPDATE,
                    step.location(),
                    step.recomputed(),
                    step.body(),
                    step.buffers().stream().map(this::moved).toList(),
                    step.results().stream().map(this::moved).toList(),
                    moved(step.workspace()),
                    step.freed().stream().map(this::moved).toList());
        }

        private Placement moved(Placement place) {
            return new Placement(place.value() + values, place.offset() + bytes);
        }

        private ByteRange moved(ByteRange range) {
            return range.bytes() == 0 ? range : new ByteRange(range.offset() + bytes, range.bytes());
        }
    }
}
