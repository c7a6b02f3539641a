package dev.remat.cli.report;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.Json;
import dev.remat.runtime.train.Evaluation;
import dev.remat.runtime.train.ScaledStep;
import dev.remat.runtime.train.StepResult;
import java.io.IOException;
import java.util.Optional;

/** {@code train --json}: one line a step and one at the end. */
public record TrainJson(Console console, long arenaBytes, int ranks) implements TrainOutput {
    @Override
    public void step(StepResult step, Optional<Evaluation> evaluation) throws IOException {
        Json.printLine(console, out -> {
            out.writeNumberField("step", step.step());
            ScalarJson.write(out, "loss", step.loss());
            ScalarJson.write(out, "outputs", step.outputs());
            if (step.scaled().isPresent()) {
                ScaledStep scaled = step.scaled().get();
                out.writeBooleanField("skipped", scaled.skipped());
                out.writeNumberField("skippedSoFar", scaled.skippedSoFar());
                if (scaled.scale().isPresent()) {
                    out.writeNumberField("lossScale", scaled.scale().getAsDouble());
                }
            }
            out.writeNumberField("millis", step.millis());
            if (!step.moved().isNone()) {
                out.writeObjectFieldStart("moved");
                out.writeNumberField("storedBytes", step.moved().storedBytes());
                out.writeNumberField("fetchedBytes", step.moved().fetchedBytes());
                if (step.moved().exposedNanos().isPresent()) {
                    out.writeNumberField(
                            "exposedMillis", step.moved().exposedNanos().getAsLong() / 1e6);
                }
                out.writeEndObject();
            }
            if (ranks > 1) {
                out.writeNumberField("ranks", ranks);
            }
            out.writeNumberField("arenaBytes", arenaBytes);
            out.writeNumberField("highWaterBytes", step.highWaterBytes());
            if (evaluation.isPresent()) {
                ScalarJson.write(out, "evalLoss", evaluation.get().loss().orElseThrow());
                ScalarJson.write(out, "evalOutputs", evaluation.get().outputs());
            }
        });
    }

    @Override
    public void end(boolean done, long steps, String stateHash) throws IOException {
        Json.printLine(console, out -> {
            out.writeBooleanField("done", done);
            out.writeNumberField("steps", steps);
            out.writeStringField("stateHash", stateHash);
        });
    }

    @Override
    public void close() {}
}
