package dev.remat.runtime.train;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.graph.Role;
import dev.remat.runtime.Executable;
import dev.remat.runtime.Moved;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.checkpoint.CheckpointMeta;
import dev.remat.runtime.checkpoint.CheckpointSink;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Runs training steps one by one. Steps count from 1; step n gets batch n - 1, also after a resume. */
public final class Trainer {
    private final Executable executable;
    private final Rounds rounds;
    private final PlanOutput loss;
    private final ScalarOutputs outputs;
    private final ScaledSteps scaled;
    private final TrainingState state;
    /** The first step of the plan that changes the state. */
    private final int firstUpdate;

    private long completed;
    private boolean intact = true;

    /** Starts at step 1 with initial parameters. */
    public Trainer(Executable executable, BatchSource batches) {
        this.executable = executable;
        this.rounds = Rounds.of(executable, new InputFeed(executable, batches));
        this.loss = executable.plan().output(ExecutionPlan.LOSS);
        this.outputs = new ScalarOutputs(executable);
        this.scaled = new ScaledSteps(executable);
        this.state = new TrainingState(executable);
        this.firstUpdate = firstUpdate(executable.plan());
        state.initialize();
    }

    private static int firstUpdate(ExecutionPlan plan) {
        int step = 0;
        while (step < plan.steps().size() && !changesState(plan, step)) {
            step++;
        }
        return step;
    }

    /** Rounds add to accumulators, which are no state. */
    private static boolean changesState(ExecutionPlan plan, int step) {
        return plan.steps().get(step).role() == Role.UPDATE && !plan.isOfMicroBatch(plan.section(step));
    }

    /** Number of steps done, those before a resume included. */
    public long completedSteps() {
        return completed;
    }

    public TrainingState state() {
        return state;
    }

    /** Whether all ranks and stages are in this process, so that what stops one cannot leave others waiting for it. */
    boolean isWholeHere() {
        return executable.stages() == 1
                && executable.ranks().stream().allMatch(rank -> rank.here().isPresent());
    }

    /** Whether the state is that after {@link #completedSteps}, rather than left in the middle of an update. */
    public boolean isIntact() {
        return intact;
    }

    /**
     * Whether a fixed loss scale has kept a loss from updating anything in all steps of this trainer, because a
     * gradient was not finite in any.
     */
    public boolean isStuck() {
        return scaled.isStuck();
    }

    /**
     * Runs the next step.
     *
     * @throws NotANumberException if a loss is not finite, when nothing has been updated; or if scaled gradients never
     *     are
     * @throws dev.remat.runtime.io.DataException if the batch is not as the model needs it; likewise
     */
    public StepResult step() {
        long begin = System.nanoTime();
        Moved before = executable.moved();
        long step = completed + 1;
        scaled.before();
        int known = executable.plan().stepsToLosses();
        int begun = Math.min(firstUpdate, known);
        rounds.run(step, 0, begun);
        intact = begun == known;
        rounds.run(step, begun, known);
        for (PlanOutput minimised : executable.plan().losses()) {
            if (!Double.isFinite(Scalars.read(executable, minimised))) {
                throw FindNaN.run(executable, rounds, step, minimised);
            }
        }
        double value = Scalars.read(executable, loss);
        int update = Math.max(known, firstUpdate);
        rounds.run(step, known, update);
        intact = false;
        rounds.run(step, update, executable.plan().steps().size());
        completed = step;
        intact = true;
        Optional<ScaledStep> scaling = scaled.after(step);
        double millis = (System.nanoTime() - begin) / 1e6;
        return new StepResult(
                step,
                value,
                outputs.read(),
                scaling,
                millis,
                executable.moved().since(before),
                executable.highWaterBytes());
    }

    /**
     * Writes a checkpoint whole or not at all.
     *
     * @param run what the run is, its seed included
     * @throws NotANumberException if a tensor has become NaN; the folder stays as it is
     */
    public void save(CheckpointSink folder, RunFacts run) throws IOException {
        List<StateTensor> tensors = state.streams();
        for (StateTensor tensor : tensors) {
            if (executable.any(tensor.anyHere(value -> !Double.isFinite(value)))) {
                throw new NotANumberException(
                        completed,
                        tensor.location(),
                        "the update of step " + completed + " left a NaN or infinity in " + tensor.name()
                                + "; no checkpoint was written");
            }
        }
        folder.save(new CheckpointMeta(run, completed), tensors);
    }

    /**
     * Goes on where a checkpoint was written. That it is of the same model and run is for {@link
     * dev.remat.runtime.checkpoint.ResumeRules} to say.
     *
     * @throws CorruptFileException if the model or its optimizer has other tensors
     */
    public void resume(Path directory, Checkpoint checkpoint) {
        List<String> missing = state.load(checkpoint.state().tensors()).names();
        if (!missing.isEmpty()) {
            throw new CorruptFileException(directory, "lacks " + missing.getFirst());
        }
        completed = checkpoint.meta().step();
    }
}
