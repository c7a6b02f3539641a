package dev.remat.runtime.train;

import dev.remat.ir.execution.Section;
import dev.remat.runtime.Executable;

/** Runs the steps of a plan as often as its sections say, each time on the rows of another micro-batch. */
public final class Rounds {
    /** Brings what a round reads. */
    @FunctionalInterface
    public interface Feed {
        /**
         * Of several ranks, micro-batches go to one after another.
         *
         * @param step number of the training step, from 1
         * @param microBatch within it, from 0
         */
        void feed(long step, int microBatch);
    }

    private final Executable executable;
    private final Feed feed;
    private final int ranks;

    public Rounds(Executable executable, Feed feed) {
        this.executable = executable;
        this.feed = feed;
        this.ranks = executable.plan().ranks();
    }

    /** Whole training steps of batches in order: step {@code s} gets batch {@code s - 1}. */
    public static Rounds of(Executable executable, InputFeed feed) {
        int microBatches = executable.plan().microBatches();
        return new Rounds(
                executable,
                (step, microBatch) ->
                        feed.feed(Math.multiplyExact(step - 1, (long) microBatches) + microBatch, step, microBatch));
    }

    /** Brings what all ranks read in a round whose first micro-batch is this, without running it. */
    void feed(long step, int microBatch) {
        for (int rank = 0; rank < ranks; rank++) {
            feed.feed(step, microBatch + rank);
        }
    }

    /** Runs a training step, numbered from 1. */
    public void run(long step) {
        run(step, 0, executable.plan().steps().size());
    }

    /**
     * Runs steps {@code from} to {@code to} of the plan, the latter exclusive; of a section that is repeated, every
     * round runs all of them.
     */
    public void run(long step, int from, int to) {
        for (Section section : executable.plan().sections()) {
            int first = Math.max(from, section.from());
            int end = Math.min(to, section.to());
            for (int round = 0; first < end && round < section.times(); round++) {
                if (first == 0 || executable.plan().isOfMicroBatch(section)) {
                    feed(step, round * ranks);
                }
                executable.run(step, round * ranks, first, end);
            }
        }
    }
}
