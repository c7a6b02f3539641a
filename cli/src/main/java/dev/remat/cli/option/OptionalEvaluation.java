package dev.remat.cli.option;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.train.Evaluation;
import dev.remat.runtime.train.Evaluator;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.TrainingState;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What evaluates a training run, if anything does.
 *
 * @param gives what another process evaluates, where one does
 */
public record OptionalEvaluation(Optional<Executable> executable, Optional<Evaluator> evaluator, Runnable gives)
        implements AutoCloseable {
    private static final OptionalEvaluation NONE = new OptionalEvaluation(Optional.empty(), Optional.empty(), () -> {});

    /**
     * Takes turns with a training in its arena.
     *
     * @param plan empty if nothing is evaluated
     * @param data for its inputs
     */
    public static OptionalEvaluation within(
            Executable training, Optional<ExecutionPlan> plan, Function<List<InputSpec>, BatchSource> data) {
        if (plan.isEmpty()) {
            return NONE;
        }
        Executable executable = training.loadWithin(plan.get());
        BatchSource batches = data.apply(InputFeed.specs(plan.get()));
        return new OptionalEvaluation(
                Optional.of(executable), Optional.of(Evaluator.beside(training, executable, batches)), () -> {});
    }

    /**
     * The same in an arena of its own, with copies of what the training keeps.
     *
     * @param plan empty if nothing is evaluated
     * @param data for its inputs
     */
    public static OptionalEvaluation beside(
            Executable training, Optional<ExecutionPlan> plan, Function<List<InputSpec>, BatchSource> data) {
        if (plan.isEmpty()) {
            return NONE;
        }
        Executable executable = training.loadBeside(plan.get());
        BatchSource batches = data.apply(InputFeed.specs(plan.get()));
        return new OptionalEvaluation(
                Optional.of(executable), Optional.of(Evaluator.apartFrom(training, executable, batches)), () -> {});
    }

    /**
     * By another process, which gets what this one has.
     *
     * @param plan empty if nothing is evaluated
     */
    public static OptionalEvaluation elsewhere(Executable training, Optional<ExecutionPlan> plan) {
        return plan.map(other -> new OptionalEvaluation(
                        Optional.empty(), Optional.empty(), () -> new TrainingState(training).giveFor(other)))
                .orElse(NONE);
    }

    /**
     * What the training has come to, if that is found out here.
     *
     * @param most number of batches
     */
    public Optional<Evaluation> evaluate(long most) {
        gives.run();
        return evaluator.map(each -> each.evaluate(most));
    }

    @Override
    public void close() {
        executable.ifPresent(Executable::close);
    }
}
