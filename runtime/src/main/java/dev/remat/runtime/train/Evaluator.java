package dev.remat.runtime.train;

import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;

/** Loss and scalar outputs on held-back data, by a plan of the forward pass alone. */
public final class Evaluator {
    private final Executable executable;
    private final InputFeed feed;
    private final Runnable gather;
    /** Until every sample had its turn. */
    private final long batches;

    /** @param executable whose arena holds the parameters and statistics: that of the training, or one of its own */
    public Evaluator(Executable executable, BatchSource data) {
        this(executable, data, () -> {});
    }

    /** @param training whose ranks have shares of what {@code executable} has whole, if they have */
    public static Evaluator beside(Executable training, Executable executable, BatchSource data) {
        return new Evaluator(executable, data, () -> new TrainingState(training).gatherInto(executable));
    }

    /** @param training whose parameters {@code executable} has copies of, in an arena of its own */
    public static Evaluator apartFrom(Executable training, Executable executable, BatchSource data) {
        return new Evaluator(executable, data, () -> new TrainingState(training).copyInto(executable));
    }

    private Evaluator(Executable executable, BatchSource data, Runnable gather) {
        this.gather = gather;
        this.executable = executable;
        this.feed = new InputFeed(executable, data);
        this.batches =
                Math.ceilDiv(data.batchesPerEpoch(), (long) executable.plan().microBatches());
    }

    /**
     * Means with what the arena holds now, over the same batches every time.
     *
     * @param most number of batches, unless the data has fewer
     */
    public Evaluation evaluate(long most) {
        gather.run();
        EvaluationMeans means = new EvaluationMeans();
        for (long batch = 0; batch < Math.min(most, batches); batch++) {
            long first = batch * executable.plan().microBatches();
            new Rounds(executable, (step, microBatch) -> feed.feed(first + microBatch, step, microBatch)).run(1);
            means.add(executable, 1);
        }
        return means.mean();
    }
}
