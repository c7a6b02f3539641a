package dev.remat.runtime.io;

import java.util.List;

/** Samples to train on, and a held-back share to evaluate on. */
public interface Dataset extends AutoCloseable {
    /**
     * Shuffled batches of the training share.
     *
     * @throws DataException if the data cannot feed these inputs
     */
    BatchSource training(List<InputSpec> inputs, long seed);

    /**
     * Batches of the held-back share, in file order.
     *
     * @throws DataException if the data cannot feed these inputs, or nothing was held back because there is too little
     */
    BatchSource evaluation(List<InputSpec> inputs);

    @Override
    void close();
}
