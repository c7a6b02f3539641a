package dev.remat.cli.option;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.train.Evaluator;
import dev.remat.runtime.train.InputFeed;
import java.util.Optional;

/** What evaluates a training run, if anything does. */
public record OptionalEvaluation(Optional<Executable> executable, Optional<Evaluator> evaluator)
        implements AutoCloseable {
    private static final OptionalEvaluation NONE = new OptionalEvaluation(Optional.empty(), Optional.empty());

    /**
     * Takes turns with a training in its arena.
     *
     * @param plan empty if nothing is evaluated
     */
    public static OptionalEvaluation within(
            Executable training, Optional<ExecutionPlan> plan, Dataset data, long mostBatches) {
        if (plan.isEmpty()) {
            return NONE;
        }
        Executable executable = training.loadWithin(plan.get());
        BatchSource batches = data.evaluation(InputFeed.specs(plan.get()));
        return new OptionalEvaluation(
                Optional.of(executable), Optional.of(new Evaluator(executable, batches, mostBatches)));
    }

    @Override
    public void close() {
        executable.ifPresent(Executable::close);
    }
}
