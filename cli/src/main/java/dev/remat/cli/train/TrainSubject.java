package dev.remat.cli.train;

import dev.remat.cli.device.Device;
import dev.remat.cli.option.OptionalEvaluation;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.graph.Graph;
import dev.remat.runtime.Executable;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.lane.Places;
import dev.remat.runtime.log.LearningRates;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.train.TrainingState;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What is trained.
 *
 * @param plan of all stages, where there are some
 * @param stages that run side by side
 * @param evaluation takes turns with the plan, in its arena unless it has stages
 * @param rates that parameters are updated by
 */
public record TrainSubject(
        ExecutionPlan plan,
        Optional<PlanSet> stages,
        Optional<ExecutionPlan> evaluation,
        Device device,
        RunFacts facts,
        LearningRates rates) {
    /**
     * A step in stages.
     *
     * @param evaluation has an arena of its own
     */
    public static TrainSubject of(
            ElaboratedModel model, PlanSet stages, Optional<ExecutionPlan> evaluation, Device device, RunFacts facts) {
        ExecutionPlan whole = stages.whole();
        return new TrainSubject(whole, Optional.of(stages), evaluation, device, facts, rates(model, whole));
    }

    /** A step in one plan. */
    public static TrainSubject of(
            ElaboratedModel model,
            ExecutionPlan plan,
            Optional<ExecutionPlan> evaluation,
            Device device,
            RunFacts facts) {
        return new TrainSubject(plan, Optional.empty(), evaluation, device, facts, rates(model, plan));
    }

    /** Logs call a rate by the first parameter of the model, whatever ranks hold in shares. */
    private static LearningRates rates(ElaboratedModel model, ExecutionPlan plan) {
        Graph graph = model.forward();
        List<String> inputs = graph.inputs().stream()
                .map(input -> graph.value(input.value()).name())
                .toList();
        return LearningRates.of(plan, inputs);
    }

    /**
     * Takes memory for it.
     *
     * @param before what it goes on from
     * @param group that it is trained by, if it is not this process alone
     * @throws dev.remat.runtime.io.DataException if tensors of the checkpoint do not fit
     */
    public Executable load(Optional<Checkpoint> before, boolean poison, Places places, Optional<ProcessGroup> group) {
        before.ifPresent(
                checkpoint -> TrainingState.demandFit(plan, checkpoint.state().tensors()));
        if (group.isPresent()) {
            return stages.map(set -> device.load(set, poison, group.get()))
                    .orElseGet(() -> device.load(plan, poison, places, group.get()));
        }
        return stages.map(set -> device.load(set, poison)).orElseGet(() -> device.load(plan, poison, places));
    }

    /**
     * What evaluates the training, if anything does.
     *
     * @param training loaded
     * @param data for inputs
     * @param group as it was loaded by
     */
    public OptionalEvaluation evaluation(
            Executable training, Function<List<InputSpec>, BatchSource> data, Optional<ProcessGroup> group) {
        if (stages.isEmpty()) {
            return OptionalEvaluation.within(training, evaluation, data);
        }
        // Processes of stages have no room for all of it but one.
        return group.isEmpty() || group.get().isFirst()
                ? OptionalEvaluation.beside(training, evaluation, data)
                : OptionalEvaluation.elsewhere(training, evaluation);
    }
}
