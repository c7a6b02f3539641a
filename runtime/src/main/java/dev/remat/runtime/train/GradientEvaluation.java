package dev.remat.runtime.train;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.StoredTensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs a plan whose outputs are the loss and gradients; parameters stay as they are. */
public final class GradientEvaluation {
    private final Executable executable;
    private final TrainingState state;

    /** Starts with initial parameters and without data. */
    public GradientEvaluation(Executable executable) {
        this.executable = executable;
        this.state = new TrainingState(executable);
        state.initialize();
    }

    /**
     * Takes every input of the model, and parameters and states where they are given.
     *
     * @return names of parameters and states that are not given; they keep their initial values
     * @throws DataException if an input is missing or a tensor does not fit the model
     */
    public List<String> load(List<StoredTensor> given) {
        Map<String, StoredTensor> rest = new LinkedHashMap<>();
        given.forEach(tensor -> rest.put(tensor.name(), tensor));
        for (ArenaTensor input : executable.plan().inputs()) {
            if (input.kind() == InputKind.DATA) {
                StoredTensor tensor = rest.remove(input.name());
                if (tensor == null) {
                    throw new DataException("the file lacks the input " + input.name() + ": " + input.type());
                }
                ArenaTensors.write(executable, input, tensor);
            }
        }
        return state.load(List.copyOf(rest.values()));
    }

    /** Takes a batch as the data. */
    public void load(BatchSource batches, long batch) {
        new InputFeed(executable, batches).feed(batch, 1);
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
        executable.run(step);
        return loss(ExecutionPlan.LOSS);
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
