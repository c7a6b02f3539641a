package dev.remat.cli.option;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.train.Evaluator;
import dev.remat.runtime.train.InputFeed;
import java.util.List;
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
                Optional.of(executable),
                Optional.of(new Evaluator(executable, batches, mostBatches, parts(training.plan(), plan.get()))));
    }

    /** Evaluations that make one of a whole batch, if a step that is cut is evaluated by its micro-batches. */
    private static int parts(ExecutionPlan training, ExecutionPlan evaluation) {
        List<InputSpec> trained = InputFeed.specs(training);
        List<InputSpec> evaluated = InputFeed.specs(evaluation);
        boolean alike = !trained.isEmpty()
                && !evaluated.isEmpty()
                && trained.getFirst().rows() == evaluated.getFirst().rows();
        return alike ? training.microBatches() : 1;
    }

    @Override
    public void close() {
        executable.ifPresent(Executable::close);
    }
}
