package dev.remat.runtime.io;

import java.util.List;
import java.util.SortedMap;

/** Samples to train on, and a held-back share to evaluate on. */
public interface Dataset extends AutoCloseable {
    /** Which of the samples are meant. */
    enum Share {
        TRAINING,
        /** What training never sees: as a rule the last tenth. */
        HELD_BACK,
        ALL
    }

    /**
     * The samples of a share, at least one, in the order of the data.
     *
     * @throws DataException if the data cannot feed these inputs, or the share is empty because there is too little
     */
    Samples samples(List<InputSpec> inputs, Share share);

    /** Names of what the data holds and none of these inputs reads. */
    default List<String> unread(List<InputSpec> inputs) {
        return List.of();
    }

    /**
     * Shuffled batches of the training share, epoch after epoch.
     *
     * @throws DataException if the data cannot feed these inputs
     */
    default BatchSource training(List<InputSpec> inputs, long seed) {
        Samples samples = samples(inputs, Share.TRAINING);
        EpochOrder order = new EpochOrder(seed, samples.count());
        return new Batches(inputs, samples, order::sampleAt);
    }

    /**
     * Batches of the held-back share in order, again and again.
     *
     * @throws DataException if the data cannot feed these inputs, or nothing was held back because there is too little
     */
    default BatchSource evaluation(List<InputSpec> inputs) {
        Samples samples = samples(inputs, Share.HELD_BACK);
        return new Batches(inputs, samples, position -> position % samples.count());
    }

    /**
     * What tells these samples from others, by name: the same for the same content, wherever it lies. Reads a bounded
     * part of it.
     */
    SortedMap<String, String> identity();

    @Override
    void close();
}
