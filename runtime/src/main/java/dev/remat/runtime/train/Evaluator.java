package dev.remat.runtime.train;

import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;

/** Loss and scalar outputs on held-back data, by a plan of the forward pass alone. */
public final class Evaluator {
    private final Executable executable;
    private final InputFeed feed;
    private final long batches;

    /**
     * @param executable whose arena holds the parameters and statistics: that of the training, or one of its own
     * @param mostBatches number of batches that one evaluation averages over, unless the data has fewer
     */
    public Evaluator(Executable executable, BatchSource data, long mostBatches) {
        this.executable = executable;
        this.feed = new InputFeed(executable, data);
        long whole =
                Math.ceilDiv(data.batchesPerEpoch(), (long) executable.plan().microBatches());
        this.batches = Math.min(mostBatches, whole);
    }

    /** Means with what the arena holds now, over the same batches every time. */
    public Evaluation evaluate() {
        EvaluationMeans means = new EvaluationMeans();
        for (long batch = 0; batch < batches; batch++) {
            long first = batch * executable.plan().microBatches();
            new Rounds(executable, (step, microBatch) -> feed.feed(first + microBatch, step, microBatch)).run(1);
            means.add(executable, 1);
        }
        return means.mean();
    }
}
