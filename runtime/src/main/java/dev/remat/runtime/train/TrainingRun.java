package dev.remat.runtime.train;

import dev.remat.runtime.checkpoint.CheckpointSink;
import dev.remat.runtime.checkpoint.RunFacts;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * Training steps one after another, with a checkpoint when one is due, at the end, and when something stops the run:
 * a loss that is not finite, data that cannot be had, or whoever listens.
 */
public final class TrainingRun {
    /** Told of every step, in the thread that trains. */
    @FunctionalInterface
    public interface Listener {
        /** What this throws ends the run. */
        void step(StepResult step) throws IOException;
    }

    private final Trainer trainer;
    private final Optional<? extends CheckpointSink> folder;
    private final RunFacts facts;
    private final long begun;
    /** The step that the folder's checkpoint is of; before the first it may be another run's. */
    private long saved;

    private boolean failed;
    private Optional<Exception> unsaved = Optional.empty();

    /**
     * @param folder to save to; empty if nothing is saved
     * @param facts what checkpoints tell of the run
     */
    public TrainingRun(Trainer trainer, Optional<? extends CheckpointSink> folder, RunFacts facts) {
        this.trainer = trainer;
        this.folder = folder;
        this.facts = facts;
        this.begun = trainer.completedSteps();
        this.saved = begun;
    }

    /**
     * Trains up to a step and saves. What stops it before is thrown again as it was, after the state that the last
     * complete step left has been saved, as far as that is possible.
     *
     * @param steps number of all steps, those before a resume included
     * @param saveEvery steps between checkpoints
     * @param ends asked before each step
     */
    public void run(long steps, long saveEvery, BooleanSupplier ends, Listener listener) throws IOException {
        try {
            while (trainer.completedSteps() < steps && !ends.getAsBoolean()) {
                StepResult step = trainer.step();
                listener.step(step);
                if (step.step() % saveEvery == 0 && step.step() < steps) {
                    save();
                }
            }
            if (trainer.completedSteps() >= steps || trainer.completedSteps() > begun) {
                save();
            }
        } catch (IOException | RuntimeException | Error stop) {
            // Ranks in several processes save together, which they do where all see what stops them.
            boolean together = trainer.isWholeHere() || stop instanceof NotANumberException;
            if (trainer.completedSteps() > saved && trainer.isIntact() && !failed && together) {
                saveAfter(stop);
            }
            throw stop;
        }
    }

    /** Writes a checkpoint, if there is a folder. */
    public void save() throws IOException {
        if (folder.isPresent()) {
            failed = true;
            trainer.save(folder.get(), facts);
            saved = trainer.completedSteps();
            failed = false;
        }
    }

    private void saveAfter(Throwable stop) {
        try {
            save();
        } catch (IOException | RuntimeException e) {
            unsaved = Optional.of(e);
            stop.addSuppressed(e);
        }
    }

    public Trainer trainer() {
        return trainer;
    }

    /** Whether there is a folder to save to. */
    public boolean isSaved() {
        return folder.isPresent();
    }

    /** The step of this run's last checkpoint; empty before the first. */
    public OptionalLong savedStep() {
        return saved > begun ? OptionalLong.of(saved) : OptionalLong.empty();
    }

    /** Why the state could not be saved that something has stopped the run after. */
    public Optional<Exception> unsaved() {
        return unsaved;
    }
}
