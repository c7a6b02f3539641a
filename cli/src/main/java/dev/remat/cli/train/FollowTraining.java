package dev.remat.cli.train;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Interruption;
import dev.remat.cli.option.RunOptions;
import dev.remat.cli.report.TrainJson;
import dev.remat.cli.report.TrainOutput;
import dev.remat.cli.report.TrainText;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.process.RankTimes;
import dev.remat.runtime.train.Evaluation;
import dev.remat.runtime.train.StepResult;
import dev.remat.runtime.train.Trainer;
import dev.remat.runtime.train.TrainingRun;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * Trains to the last step, or until something ends it, and says how that goes.
 *
 * @param interruption ends it behind a step
 * @param group that it is trained by, if it is not this process alone; what ends one ends all
 */
public record FollowTraining(
        Console console, RunOptions options, Interruption interruption, Optional<ProcessGroup> group) {
    /** What is done after a step, by processes if several train, which may be an evaluation. */
    @FunctionalInterface
    public interface Each {
        Optional<Evaluation> after(StepResult step, Optional<RankTimes> ranks) throws IOException;
    }

    /** @param steps number of all steps, those before a resume included */
    public ExitCode run(TrainingRun training, long steps, ExecutionPlan plan, boolean json, Each each)
            throws IOException {
        Trainer trainer = training.trainer();
        try (TrainOutput report = json
                ? new TrainJson(console, plan.arenaBytes(), plan.ranks())
                : new TrainText(console, plan.arenaBytes(), plan.ranks(), trainer.completedSteps(), steps)) {
            BooleanSupplier own =
                    () -> interruption.requested() || console.lost().isPresent();
            BooleanSupplier ends = group.<BooleanSupplier>map(all -> () -> all.any(own.getAsBoolean()))
                    .orElse(own);
            training.run(steps, options.saveEvery(), ends, step -> {
                Optional<RankTimes> ranks = group.map(all -> all.done(step.step()));
                report.step(step, each.after(step, ranks));
            });
            boolean done = trainer.completedSteps() >= steps;
            report.end(done, trainer.completedSteps(), trainer.state().hash());
            if (!done) {
                boolean unread = !interruption.requested() && console.lost().isPresent();
                tell((unread ? "standard output is read no more: " : "") + "interrupted", training);
                return ExitCode.INTERRUPTED;
            }
            if (trainer.isStuck()) {
                console.note("no step of this run has updated all parameters: at this loss_scale, a gradient"
                        + " was not finite in any; a smaller one may do, or loss_scale dynamic");
                return ExitCode.STOPPED_ON_NAN;
            }
            return ExitCode.OK;
        } catch (IOException | RuntimeException | Error stop) {
            training.unsaved()
                    .ifPresent(e -> console.note("the state after step " + trainer.completedSteps()
                            + " could not be saved: " + e.getMessage()));
            if (training.isSaved()) {
                tell("stopped", training);
            }
            throw stop;
        }
    }

    /** Says where the run ended and what was saved. */
    private void tell(String ended, TrainingRun training) {
        long last = training.trainer().completedSteps();
        OptionalLong saved = training.savedStep();
        String outlook = saved.isEmpty()
                ? "nothing was saved"
                : "this goes on from " + (saved.getAsLong() == last ? "there" : "step " + saved.getAsLong()) + ": "
                        + options.goingOn();
        console.note(ended + " after step " + last + "; " + outlook);
    }
}
