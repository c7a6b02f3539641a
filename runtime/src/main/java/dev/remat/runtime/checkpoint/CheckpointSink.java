package dev.remat.runtime.checkpoint;

import dev.remat.runtime.io.StreamedTensor;
import java.io.IOException;
import java.util.List;

/** Where a run saves to. */
@FunctionalInterface
public interface CheckpointSink {
    /**
     * Writes a checkpoint whole or not at all, and drops the one before.
     *
     * @param state parameters, optimizer state and running statistics
     */
    void save(CheckpointMeta meta, List<? extends StreamedTensor> state) throws IOException;
}
