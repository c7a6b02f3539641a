package dev.remat.cli.option;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.train.Evaluator;
import dev.remat.runtime.train.InputFeed;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What evaluates a training run, if anything does. */
public record OptionalEvaluation(Optional<Executable> executable, Optional<Evaluator> evaluator)
        implements AutoCloseable {
    private static final OptionalEvaluation NONE = new OptionalEvaluation(Optional.empty(), Optional.empty());

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
                Optional.of(executable), Optional.of(Evaluator.beside(training, executable, batches)));
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
                Optional.of(executable), Optional.of(Evaluator.apartFrom(training, executable, batches)));
    }

    @Override
    public void close() {
        executable.ifPresent(Executable::close);
    }
}
