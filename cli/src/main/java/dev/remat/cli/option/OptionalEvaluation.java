package dev.remat.cli.option;

import dev.remat.runtime.Executable;
import dev.remat.runtime.train.Evaluator;
import java.util.Optional;

/** What evaluates a training run, if anything does. */
public record OptionalEvaluation(Optional<Executable> executable, Optional<Evaluator> evaluator)
        implements AutoCloseable {
    public static final OptionalEvaluation NONE = new OptionalEvaluation(Optional.empty(), Optional.empty());

    @Override
    public void close() {
        executable.ifPresent(Executable::close);
    }
}
