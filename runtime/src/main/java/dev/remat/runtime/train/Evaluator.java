package dev.remat.runtime.train;

import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;

/** Loss and scalar outputs on held-back data, by a plan of the forward pass alone that has an arena of its own. */
public final class Evaluator {
    private final Executable executable;
    private final InputFeed feed;
    private final long batches;
    private final TrainingState state;

    /** @param mostBatches number of batches that one evaluation averages over, unless the data has fewer */
    public Evaluator(Executable executable, BatchSource data, long mostBatches) {
        this.executable = executable;
        this.feed = new InputFeed(executable, data);
        this.batches = Math.min(mostBatches, data.batchesPerEpoch());
        this.state = new TrainingState(executable);
    }

    /** Means with these parameters and statistics, over the same batches every time. */
    public Evaluation evaluate(TrainingState trained) {
        trained.copyTo(state);
        EvaluationMeans means = new EvaluationMeans();
        for (long batch = 0; batch < batches; batch++) {
            feed.feed(batch, 1);
            executable.run(1);
            means.add(executable, 1);
        }
        return means.mean();
    }
}
