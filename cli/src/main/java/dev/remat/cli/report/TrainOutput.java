package dev.remat.cli.report;

import dev.remat.runtime.train.StepResult;
import java.io.IOException;
import java.util.OptionalDouble;

/** Where a training run reports to. */
public interface TrainOutput extends AutoCloseable {
    /** @param evaluation loss on held-back data, if this step evaluated */
    void step(StepResult step, OptionalDouble evaluation) throws IOException;

    /**
     * @param done whether all steps asked for were done
     * @param steps completed
     */
    void end(boolean done, long steps, String stateHash) throws IOException;

    @Override
    void close();
}
