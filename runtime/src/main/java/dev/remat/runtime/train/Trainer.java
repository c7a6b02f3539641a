package dev.remat.runtime.train;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.Checkpoint;
import dev.remat.runtime.io.CheckpointMeta;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.StoredTensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Runs training steps one by one. Steps count from 1; step n gets batch n - 1, also after a resume. */
public final class Trainer {
    private final Executable executable;
    private final InputFeed feed;
    private final PlanOutput loss;
    private final ScalarOutputs outputs;
    private final TrainingState state;
    private long completed;

    /** Starts at step 1 with initial parameters. */
    public Trainer(Executable executable, BatchSource batches) {
        this.executable = executable;
        this.feed = new InputFeed(executable, batches);
        this.loss = executable.plan().output(ExecutionPlan.LOSS);
        this.outputs = new ScalarOutputs(executable);
        this.state = new TrainingState(executable);
        state.initialize();
    }

    /** Number of steps done, those before a resume included. */
    public long completedSteps() {
        return completed;
    }

    public TrainingState state() {
        return state;
    }

    /**
     * Runs the next step.
     *
     * @throws NotANumberException if a loss is not finite; nothing has been updated then
     */
    public StepResult step() {
        long begin = System.nanoTime();
        long step = completed + 1;
        feed.feed(completed, step);
        int known = executable.plan().losses().stream()
                        .mapToInt(PlanOutput::readyAfter)
                        .max()
                        .orElseThrow()
                + 1;
        executable.run(step, 0, known);
        for (PlanOutput minimised : executable.plan().losses()) {
            if (!Double.isFinite(Scalars.read(executable, minimised))) {
                throw FindNaN.run(executable, step, minimised);
            }
        }
        double value = Scalars.read(executable, loss);
        executable.run(step, known, executable.plan().steps().size());
        completed = step;
        double millis = (System.nanoTime() - begin) / 1e6;
        return new StepResult(step, value, outputs.read(), millis, executable.highWaterBytes());
    }

    /**
     * Writes a checkpoint whole or not at all.
     *
     * @throws NotANumberException if a tensor has become NaN; the directory stays as it is
     */
    public void save(Path directory) throws IOException {
        List<StoredTensor> tensors = state.tensors();
        for (StoredTensor tensor : tensors) {
            if (Scalars.any(tensor.data(), tensor.type().dtype().orElseThrow(), value -> !Double.isFinite(value))) {
                throw new NotANumberException(
                        completed,
                        executable.plan().input(tensor.name()).location(),
                        "the update of step " + completed + " left a NaN or infinity in " + tensor.name()
                                + "; no checkpoint was written");
            }
        }
        ExecutionPlan plan = executable.plan();
        Checkpoint.save(directory, new CheckpointMeta(plan.modelHash(), completed, plan.seed()), tensors);
    }

    /**
     * Goes on where a checkpoint was written.
     *
     * @throws CorruptFileException if it belongs to another model or was trained from another seed
     */
    public void resume(Path directory, Checkpoint checkpoint) {
        ExecutionPlan plan = executable.plan();
        if (!checkpoint.meta().modelHash().equals(plan.modelHash())) {
            throw new CorruptFileException(
                    directory,
                    "was trained with another model (" + plan.model()
                            + " has changed, or other hyper-parameters are set); its tensors can be taken with --init");
        }
        if (checkpoint.meta().seed() != plan.seed()) {
            throw new CorruptFileException(
                    directory, "was trained from seed " + checkpoint.meta().seed() + ", not " + plan.seed());
        }
        List<String> missing = state.load(checkpoint.state().tensors());
        if (!missing.isEmpty()) {
            throw new CorruptFileException(directory, "lacks " + missing.getFirst());
        }
        completed = checkpoint.meta().step();
    }
}
