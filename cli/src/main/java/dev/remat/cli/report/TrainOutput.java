package dev.remat.cli.report;

import dev.remat.runtime.train.Evaluation;
import dev.remat.runtime.train.StepResult;
import java.io.IOException;
import java.util.Optional;

/** Where a training run reports to. */
public interface TrainOutput extends AutoCloseable {
    /** @param evaluation what held-back data gave, if this step evaluated */
    void step(StepResult step, Optional<Evaluation> evaluation) throws IOException;

    /**
     * @param done whether all steps asked for were done
     * @param steps completed
     */
    void end(boolean done, long steps, String stateHash) throws IOException;

    @Override
    void close();
}
