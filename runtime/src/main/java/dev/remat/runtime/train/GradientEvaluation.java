package dev.remat.runtime.train;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.StoredTensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Runs a plan whose outputs are the loss and gradients; parameters stay as they are. */
public final class GradientEvaluation {
    private final Executable executable;
    private final TrainingState state;
    private final MemorySegment number = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    /** Brings the data of a round, where there are several. */
    private Rounds.Feed data = (step, microBatch) -> {};

    /** Starts with initial parameters and without data. */
    public GradientEvaluation(Executable executable) {
        this.executable = executable;
        this.state = new TrainingState(executable);
        state.initialize();
    }

    /**
     * Takes every input of the model, and parameters and states where they are given.
     *
     * @return parameters and states that are not given; they keep their initial values
     * @throws DataException if an input is missing or a tensor does not fit the model
     */
    public MissingTensors load(List<StoredTensor> given) {
        Map<String, StoredTensor> rest = new LinkedHashMap<>();
        given.forEach(tensor -> rest.put(tensor.name(), tensor));
        int microBatches = executable.plan().microBatches();
        Map<ArenaTensor, List<StoredTensor>> batch = new LinkedHashMap<>();
        for (ArenaTensor input : executable.plan().inputs()) {
            if (input.kind() == InputKind.DATA) {
                StoredTensor tensor = rest.remove(input.name());
                if (tensor == null) {
                    throw new DataException("the file lacks the input " + input.name() + ": " + input.type());
                }
                batch.put(
                        input,
                        IntStream.range(0, microBatches)
                                .mapToObj(part -> tensor.part(part, microBatches))
                                .toList());
            }
        }
        data = (step, microBatch) ->
                batch.forEach((input, parts) -> ArenaTensors.write(executable, input, parts.get(microBatch)));
        data.feed(1, 0);
        return state.load(List.copyOf(rest.values()));
    }

    /** Takes a batch as the data. */
    public void load(BatchSource batches, long batch) {
        InputFeed feed = new InputFeed(executable, batches);
        int microBatches = executable.plan().microBatches();
        data = (step, microBatch) ->
                feed.feed(Math.multiplyExact(batch, (long) microBatches) + microBatch, step, microBatch);
        data.feed(1, 0);
    }

    public TrainingState state() {
        return state;
    }

    /**
     * Evaluates once.
     *
     * @param step number of the training step whose random draws are taken, from 1
     * @return the loss
     */
    public double run(long step) {
        new Rounds(executable, this::feed).run(step);
        return loss(ExecutionPlan.LOSS);
    }

    /** Data of a batch that is not cut lies there already. */
    private void feed(long step, int microBatch) {
        if (executable.plan().microBatches() > 1) {
            data.feed(step, microBatch);
        }
        InputFeed.number(executable, number, step, microBatch);
    }

    /** One of the losses of the last run, by the name of its output. */
    public double loss(String output) {
        return Scalars.read(executable, executable.plan().output(output));
    }

    /** The plan's outputs by name; valid until the next run. */
    public List<StoredTensor> outputs() {
        return executable.plan().outputs().stream()
                .map(output -> ArenaTensors.read(executable, output.name(), output.type(), output.offset()))
                .toList();
    }
}
