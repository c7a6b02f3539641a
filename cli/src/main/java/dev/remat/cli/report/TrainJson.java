package dev.remat.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Console;
import dev.remat.cli.console.Json;
import dev.remat.runtime.train.StepResult;
import java.io.IOException;
import java.util.OptionalDouble;

/** {@code train --json}: one line a step and one at the end. */
public record TrainJson(Console console, long arenaBytes) implements TrainOutput {
    @Override
    public void step(StepResult step, OptionalDouble evaluation) throws IOException {
        Json.printLine(console, out -> {
            out.writeNumberField("step", step.step());
            writeLoss(out, "loss", step.loss());
            out.writeNumberField("millis", step.millis());
            out.writeNumberField("arenaBytes", arenaBytes);
            out.writeNumberField("highWaterBytes", step.highWaterBytes());
            if (evaluation.isPresent()) {
                out.writeNumberField("evalLoss", evaluation.getAsDouble());
            }
        });
    }

    /** In as few digits as tell it from every other value of its type. */
    private static void writeLoss(JsonGenerator out, String name, double loss) throws IOException {
        if ((float) loss == loss) {
            out.writeNumberField(name, (float) loss);
        } else {
            out.writeNumberField(name, loss);
        }
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
