package dev.remat.compiler.batch;

import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import java.util.List;
import java.util.Optional;

/**
 * How a model's batch is cut.
 *
 * @param count number of micro-batches, at least 2
 * @param symbol that counts the rows of the batch
 * @param rows of the whole batch
 * @param counted adds up what the forward graph of a micro-batch has to know of the whole batch, such as how many
 *     targets count, over the rows of a micro-batch; accumulators hold it
 * @param normalized where the model normalizes by a micro-batch in place of the batch
 * @param omitted outputs of the model that have rows of the batch, which are never together
 * @param effects updates of the forward graph, which follow the last micro-batch and read accumulators
 */
public record MicroBatches(
        int count,
        String symbol,
        long rows,
        Optional<Graph> counted,
        List<Location> normalized,
        List<String> omitted,
        Graph effects) {
    public MicroBatches {
        normalized = List.copyOf(normalized);
        omitted = List.copyOf(omitted);
    }

    /** Rows of a micro-batch. */
    public long rowsEach() {
        return rows / count;
    }
}
