package dev.remat;

import dev.remat.cli.option.OptionalEvaluation;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.checkpoint.Checkpoint;
import dev.remat.runtime.checkpoint.ResumeRules;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.checkpoint.RunFacts.Part;
import dev.remat.runtime.checkpoint.RunFolder;
import dev.remat.runtime.checkpoint.RunFolder.Existing;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.IntegerBound;
import dev.remat.runtime.train.Trainer;
import dev.remat.runtime.train.TrainingRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A training in memory, from {@link Plan#train} until it is closed.
 *
 * <p>It belongs to the thread that began it: every method throws {@link WrongThreadException} in another one. Closing
 * it frees its memory; a second close does nothing, and all else throws {@link IllegalStateException} from then on.
 * What stops it closes it, too.
 */
public final class Training implements AutoCloseable {
    /**
     * A step that was done.
     *
     * @param number from 1
     * @param loss before the step's update
     * @param outputs the model's other scalar outputs by name
     * @param millis that it took, its feed included
     */
    public record Step(long number, double loss, SequencedMap<String, Double> outputs, double millis) {}

    /**
     * What held-back data gave, in the mean over batches.
     *
     * @param outputs the model's other scalar outputs by name
     */
    public record Evaluation(double loss, SequencedMap<String, Double> outputs) {}

    private final Thread owner = Thread.currentThread();
    private final Executable executable;
    private final RunFacts facts;
    private final Trainer trainer;
    private final OptionalEvaluation evaluation;
    private TrainingRun run;
    private Optional<RunFolder> folder = Optional.empty();
    private long saveEvery = Long.MAX_VALUE;
    private Optional<Path> resumed = Optional.empty();
    private long resumedAt;
    private boolean feeding;
    private boolean running;
    private boolean closed;

    /** @param beside what evaluates the held-back data, if anything is held back */
    Training(
            Executable executable, RunFacts facts, Feed feed, Optional<ExecutionPlan> beside, Optional<Feed> heldBack) {
        this.executable = executable;
        this.facts = facts;
        this.trainer = new Trainer(executable, new Batches(feed));
        this.evaluation = OptionalEvaluation.within(executable, beside, _ -> new Batches(heldBack.orElseThrow()));
        this.run = new TrainingRun(trainer, folder, facts);
    }

    /** Batches of a feed, which must not ask anything of the training meanwhile. */
    private final class Batches implements BatchSource {
        private final Feed feed;

        private Batches(Feed feed) {
            this.feed = feed;
        }

        @Override
        public long batchesPerEpoch() {
            return Long.MAX_VALUE;
        }

        @Override
        public void fill(long step, InputSpec input, MemorySegment target) {
            feeding = true;
            try {
                feed.fill(step, Feed.Input.of(input), target);
            } finally {
                feeding = false;
            }
            IntegerBound.check(input, target);
        }
    }

    /**
     * Goes on where a checkpoint was written, of this class's or of {@code remat train --save}.
     *
     * @return this
     * @throws dev.remat.runtime.io.CorruptFileException if it is damaged, of another model, or of a run with another
     *     batch size, precision or seed
     */
    public Training resume(Path checkpoint) throws IOException {
        checkIdle();
        try (Checkpoint found = Checkpoint.open(checkpoint)) {
            ResumeRules.check(checkpoint, found.meta().run(), facts, EnumSet.allOf(Part.class), Set.of(Part.DATA));
            trainer.resume(checkpoint, found);
        } catch (IOException | RuntimeException | Error e) {
            end(e);
            throw e;
        }
        resumed = Optional.of(checkpoint);
        resumedAt = trainer.completedSteps();
        run = new TrainingRun(trainer, folder, facts);
        return this;
    }

    /**
     * Takes a folder for checkpoints, which other runs cannot use until the training is closed. One is written after so
     * many steps, at the end of each {@link #run}, when something stops one, and at once if there are steps that none
     * has.
     *
     * @return this
     * @throws java.nio.file.FileSystemException if another run saves there, or the folder holds a checkpoint that this
     *     training has not been resumed from
     */
    public Training saveTo(Path place, long everySteps) throws IOException {
        checkIdle();
        try {
            boolean continues = resumed.isPresent() && Files.exists(place) && Files.isSameFile(place, resumed.get());
            RunFolder taken = RunFolder.open(place, continues ? Existing.CONTINUE : Existing.KEEP, "a Java program");
            folder.ifPresent(Training::release);
            folder = Optional.of(taken);
            saveEvery = everySteps;
            run = new TrainingRun(trainer, folder, facts);
            if (trainer.completedSteps() > resumedAt) {
                run.save();
            }
        } catch (IOException | RuntimeException | Error e) {
            end(e);
            throw e;
        }
        return this;
    }

    /**
     * Trains up to a step. What a feed or the listener throws, and a loss that is not finite, stop the training: the
     * state that the last complete step left is saved, memory is freed, and the exception comes as it was thrown, with
     * one about saving suppressed in it.
     *
     * @param steps number of all steps, those before a resume included
     * @param listener told of each step; it may evaluate and look at tensors
     * @throws dev.remat.runtime.train.NotANumberException if a loss is not finite
     * @throws IOException if a checkpoint cannot be written
     */
    public void run(long steps, Consumer<Step> listener) throws IOException {
        checkIdle();
        running = true;
        try {
            run.run(
                    steps,
                    saveEvery,
                    () -> false,
                    step -> listener.accept(new Step(step.step(), step.loss(), step.outputs(), step.millis())));
            running = false;
        } catch (IOException | RuntimeException | Error stop) {
            running = false;
            end(stop);
            throw stop;
        }
    }

    /** Evaluates on so many batches of what was held back, from the first on. */
    public Evaluation evaluate(long batches) {
        check();
        var mean = evaluation
                .evaluator()
                .orElseThrow(() ->
                        new IllegalStateException("nothing was held back: Plan.train takes what to evaluate on, too"))
                .evaluate(batches);
        return new Evaluation(mean.loss().orElseThrow(), mean.outputs());
    }

    /** Number of steps done, those before a resume included. */
    public long completedSteps() {
        check();
        return trainer.completedSteps();
    }

    /** Parameters, running statistics and what the optimizer keeps, as the last step left them, by name. */
    public SequencedMap<String, Tensor> tensors() {
        check();
        SequencedMap<String, Tensor> tensors = new LinkedHashMap<>();
        trainer.state().tensors().forEach(tensor -> tensors.put(tensor.name(), Tensor.of(tensor)));
        return tensors;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        checkIdle();
        closed = true;
        evaluation.close();
        executable.close();
        folder.ifPresent(Training::release);
    }

    private static void release(RunFolder held) {
        try {
            held.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void end(Throwable stop) {
        try {
            close();
        } catch (RuntimeException e) {
            stop.addSuppressed(e);
        }
    }

    private void checkIdle() {
        check();
        if (running) {
            throw new IllegalStateException("the training is running");
        }
    }

    private void check() {
        if (!owner.equals(Thread.currentThread())) {
            throw new WrongThreadException("the training belongs to the thread " + owner.getName());
        }
        if (closed) {
            throw new IllegalStateException("the training is closed");
        }
        if (feeding) {
            throw new IllegalStateException("the training waits for its feed");
        }
    }
}
