package dev.remat.cli.report;

import static dev.remat.cli.console.Format.text;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Console;
import dev.remat.ir.diagnostic.Count;
import dev.remat.runtime.train.Evaluation;
import dev.remat.runtime.train.ScaledStep;
import dev.remat.runtime.train.StepResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A run's progress for people: a bar on a terminal, else about twenty lines; a summary at the end. */
public final class TrainText implements TrainOutput {
    private static final int LINES = 20;
    private static final int MOST_COLUMNS = 100;

    private final Console console;
    private final long arenaBytes;
    private final int ranks;
    private final long completed;
    private final long lastStep;
    private final long linesEvery;
    private final int digits;
    private final BarLine line;
    private final Optional<ProgressBar> bar;
    private final List<Double> millis = new ArrayList<>();
    private double firstLoss;
    private double lastLoss;
    private long highWaterBytes;
    private Optional<ScaledStep> scaled = Optional.empty();

    /** @param completed steps of the run that this one goes on from; 0 if it begins */
    public TrainText(Console console, long arenaBytes, int ranks, long completed, long lastStep) {
        this.console = console;
        this.arenaBytes = arenaBytes;
        this.ranks = ranks;
        this.completed = completed;
        this.lastStep = lastStep;
        this.linesEvery = Math.max(1, (lastStep - completed) / LINES);
        this.digits = String.valueOf(lastStep).length();
        // One column more would go on in the next line, and stay there.
        this.line = new BarLine(console.terminal(), Math.min(MOST_COLUMNS, console.columns() - 1));
        this.bar = console.errIsTerminal() ? Optional.of(bar(line, completed, lastStep)) : Optional.empty();
    }

    private static ProgressBar bar(BarLine line, long completed, long lastStep) {
        return new ProgressBarBuilder()
                .setTaskName("train")
                .setInitialMax(lastStep)
                .startsFrom(completed, java.time.Duration.ZERO)
                .setStyle(ProgressBarStyle.ASCII)
                .setMaxRenderedLength(line.getMaxRenderedLength())
                .setUpdateIntervalMillis(200)
                .setConsumer(line)
                .build();
    }

    @Override
    public void step(StepResult step, Optional<Evaluation> evaluation) {
        if (millis.isEmpty()) {
            firstLoss = step.loss();
        }
        lastLoss = step.loss();
        highWaterBytes = step.highWaterBytes();
        millis.add(step.millis());
        String held = evaluation.map(TrainText::heldBack).orElse("");
        bar.ifPresent(b ->
                b.stepTo(step.step()).setExtraMessage(measured(step, ", ") + text(", %.1f ms", step.millis()) + held));
        boolean due = step.step() % linesEvery == 0 || step.step() == lastStep || millis.size() == 1;
        if (!held.isEmpty() || step.skipped() || bar.isEmpty() && due) {
            console.out()
                    .println(text(
                            "step %-" + digits + "d  %s  %.1f ms%s%s",
                            step.step(),
                            measured(step, "  "),
                            step.millis(),
                            skipped(step),
                            held));
        }
        scaled = step.scaled();
    }

    private static String measured(StepResult step, String separator) {
        return "loss " + ScalarText.of(step.loss()) + ScalarText.of(separator, step.outputs());
    }

    private static String skipped(StepResult step) {
        if (!step.skipped()) {
            return "";
        }
        OptionalDouble scale = step.scaled().orElseThrow().scale();
        return ", not updated: a gradient is not finite"
                + (scale.isPresent() ? "; the loss scale is " + ScalarText.of(scale.getAsDouble()) + " now" : "");
    }

    private static String heldBack(Evaluation evaluation) {
        return ", held-back loss " + ScalarText.of(evaluation.loss().orElseThrow())
                + ScalarText.of(", ", evaluation.outputs());
    }

    @Override
    public void end(boolean done, long steps, String stateHash) {
        close();
        if (!millis.isEmpty()) {
            List<Double> sorted = millis.stream().sorted().toList();
            console.out()
                    .println(text(
                            "%s%s, loss %s at first and %s at last, %.1f ms a step (median)",
                            span(steps),
                            done ? "" : " so far",
                            ScalarText.of(firstLoss),
                            ScalarText.of(lastLoss),
                            sorted.get(sorted.size() / 2)));
            scaled.filter(last -> last.skippedSoFar() > 0)
                    .ifPresent(last -> console.out()
                            .println(Count.of(last.skippedSoFar(), "update")
                                    + " skipped because a gradient was not finite"));
            console.out()
                    .println("arena " + ByteSize.format(arenaBytes)
                            + (ranks == 1 ? "" : " on each of " + ranks + " ranks")
                            + ", of which the kernels used "
                            + (highWaterBytes == arenaBytes ? "all" : ByteSize.format(highWaterBytes)));
        }
        console.out().println("state " + stateHash);
    }

    /** The steps that were done here. */
    private String span(long last) {
        if (completed == 0) {
            return Count.of(last, "step");
        }
        return completed + 1 == last ? "step " + last : "steps " + (completed + 1) + " to " + last;
    }

    @Override
    public void close() {
        bar.ifPresent(ProgressBar::close);
        line.close();
    }
}
