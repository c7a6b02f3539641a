package dev.remat.cli;

import dev.remat.runtime.Executable;
import dev.remat.runtime.train.Evaluator;
import java.util.Optional;

/** What evaluates a training run, if anything does. */
record OptionalEvaluation(Optional<Executable> executable, Optional<Evaluator> evaluator) implements AutoCloseable {
    static final OptionalEvaluation NONE = new OptionalEvaluation(Optional.empty(), Optional.empty());

    @Override
    public void close() {
        executable.ifPresent(Executable::close);
    }
}
