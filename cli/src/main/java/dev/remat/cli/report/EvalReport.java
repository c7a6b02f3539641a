package dev.remat.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.Json;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.diagnostic.Count;
import dev.remat.runtime.train.Evaluation;
import java.io.IOException;
import java.io.PrintStream;

/**
 * {@code eval}: what a trained model is worth.
 *
 * @param samples evaluated
 * @param leftOut at the end of the data, because they fill no batch
 */
public record EvalReport(
        ElaboratedModel model, Evaluation means, long samples, long leftOut, long batches, double seconds) {
    public void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-eval/1");
        out.writeStringField("model", model.name());
        out.writeStringField("modelHash", model.hash());
        Json.writeSymbols(out, model.extents());
        out.writeNumberField("samples", samples);
        out.writeNumberField("leftOut", leftOut);
        out.writeNumberField("batches", batches);
        if (means.loss().isPresent()) {
            ScalarJson.write(out, "loss", means.loss().getAsDouble());
        }
        ScalarJson.write(out, "outputs", means.outputs());
        out.writeNumberField("seconds", seconds);
    }

    public void print(PrintStream out) {
        Table table = new Table("  ", Table.Side.LEFT, Table.Side.RIGHT);
        means.loss().ifPresent(loss -> table.row("loss", ScalarText.of(loss)));
        means.outputs().forEach((name, value) -> table.row(name, ScalarText.of(value)));
        out.println(model.name() + " on " + Count.of(samples, "sample") + " in "
                + (batches == 1 ? "1 batch" : batches + " batches"));
        table.print(out);
    }
}
