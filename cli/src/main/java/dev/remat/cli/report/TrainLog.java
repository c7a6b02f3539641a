package dev.remat.cli.report;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.op.LearningRateSchedule;
import dev.remat.runtime.log.LearningRates;
import dev.remat.runtime.log.RunLog;
import dev.remat.runtime.process.RankTimes;
import dev.remat.runtime.train.Evaluation;
import dev.remat.runtime.train.ScaledStep;
import dev.remat.runtime.train.StepResult;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * {@code train --log}: the names of what is logged, which are columns of the table and tags in TensorBoard.
 *
 * @param arenaBytes of the plan that runs
 */
public record TrainLog(RunLog log, LearningRates rates, long arenaBytes) {
    /** What the outputs of further losses begin with. */
    private static final String FURTHER_LOSS = ExecutionPlan.furtherLoss("");

    private static final double NANOS_PER_MILLI = 1e6;

    /**
     * @param ranks where the time of the step went, if processes train
     * @param evaluation what held-back data gave, if this step evaluated
     */
    public void step(StepResult step, Optional<RankTimes> ranks, Optional<Evaluation> evaluation) throws IOException {
        SequencedMap<String, Number> values = new LinkedHashMap<>();
        measured(values, "", step.loss(), step.outputs());
        for (Map.Entry<String, LearningRateSchedule> rate : rates.schedules().entrySet()) {
            String name = rates.schedules().size() == 1 ? "rate" : "rate/" + rate.getKey();
            values.put(name, rate.getValue().at(step.step()));
        }
        step.scaled().ifPresent(scaled -> scaling(values, scaled));
        values.put("millis", step.millis());
        if (!step.moved().isNone()) {
            values.put("moved/stored_bytes", step.moved().storedBytes());
            values.put("moved/fetched_bytes", step.moved().fetchedBytes());
            step.moved().exposedNanos().ifPresent(nanos -> values.put("moved/exposed_millis", nanos / NANOS_PER_MILLI));
        }
        ranks.ifPresent(times -> ranks(values, times));
        values.put("memory/arena_bytes", arenaBytes);
        values.put("memory/high_water_bytes", step.highWaterBytes());
        evaluation.ifPresent(held -> measured(values, "eval/", held.loss().orElseThrow(), held.outputs()));
        log.append(step.step(), values);
    }

    private static void measured(
            SequencedMap<String, Number> values, String prefix, double loss, SequencedMap<String, Double> outputs) {
        values.put(prefix + "loss", loss);
        outputs.forEach((name, value) -> values.put(
                prefix
                        + (name.startsWith(FURTHER_LOSS)
                                ? "loss/" + name.substring(FURTHER_LOSS.length())
                                : "output/" + name),
                value));
    }

    private static void ranks(SequencedMap<String, Number> values, RankTimes times) {
        values.put("ranks/wait_millis", times.waitedNanos() / NANOS_PER_MILLI);
        times.slowest().ifPresent(slowest -> {
            values.put("ranks/slowest", (long) slowest.process());
            values.put("ranks/slowest_share", slowest.share());
        });
    }

    private static void scaling(SequencedMap<String, Number> values, ScaledStep scaled) {
        scaled.scale().ifPresent(scale -> values.put("scaling/scale", scale));
        values.put("scaling/skipped", scaled.skipped() ? 1L : 0L);
        values.put("scaling/skipped_so_far", scaled.skippedSoFar());
    }
}
