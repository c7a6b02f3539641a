package dev.remat.runtime.checkpoint;

import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StreamedTensor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.util.List;
import java.util.Map;

/** Where a run saves to. */
@FunctionalInterface
public interface CheckpointSink {
    /**
     * For a rank that another writes for: reads all that is written in the same order, so that the other gets what
     * this one has.
     */
    CheckpointSink OF_ANOTHER = (_, state) ->
            SafetensorsWriter.write(Channels.newChannel(OutputStream.nullOutputStream()), Map.of(), state);

    /**
     * Writes a checkpoint whole or not at all, and drops the one before.
     *
     * @param state parameters, optimizer state and running statistics
     */
    void save(CheckpointMeta meta, List<? extends StreamedTensor> state) throws IOException;
}
